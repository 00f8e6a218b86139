"""Digests of the code that a result depends on, found by following its imports.

Pipeline stages and journals of finished rows store a digest of settings, files and the syntax trees
of modules. Comments, docstrings and layout do not count. Any other change does, in a module or in
one that it imports.
"""

import ast
import functools
import hashlib
import re
from collections.abc import Iterable
from importlib.util import resolve_name
from pathlib import Path

PACKAGE = Path(__file__).parent
RESOURCE = re.compile(r"[\w-]+\.\w+")  # name of a file in the module's folder


def tree_of(code: str) -> ast.Module:
    """Syntax tree of Python code without docstrings and other stand-alone strings."""
    tree = ast.parse(code)
    for node in ast.walk(tree):
        if isinstance(body := getattr(node, "body", None), list):
            node.body = [s for s in body if not (isinstance(s, ast.Expr) and _is_text(s.value))]
    return tree


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def imports(tree: ast.AST, package: tuple[str, ...] = ()) -> set[str]:
    """Modules of pie that ``tree`` imports, as ``expr.kernel``, and packages, as ``expr``.

    Relative imports are resolved against ``package``, the package of the module below pie.
    """
    absolute: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            absolute |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            source = "." * node.level + (node.module or "")
            source = resolve_name(source, ".".join(["pie", *package]))
            absolute |= {source, *(f"{source}.{alias.name}" for alias in node.names)}
    inside = {name.removeprefix("pie.") for name in absolute if name.startswith("pie.")}
    return {name for name in inside if _file(name)}


def _file(name: str) -> Path | None:
    path = PACKAGE.joinpath(*name.split("."))
    return next((p for p in (path.with_suffix(".py"), path / "__init__.py") if p.exists()), None)


@functools.cache
def _read(path: Path, code: str) -> tuple[str, frozenset[str]]:
    """Digest of a module with the files that it names, and the modules that it imports."""
    tree = tree_of(code)
    parts = path.relative_to(PACKAGE).parts[:-1]
    found = hashlib.sha256(ast.dump(tree).encode())
    for node in ast.walk(tree):
        if _is_text(node) and RESOURCE.fullmatch(node.value):
            resource = path.with_name(node.value)
            found.update(resource.read_bytes() if resource.is_file() else b"")
    packages = {".".join(parts[: i + 1]) for i in range(len(parts))}  # their __init__ runs as well
    return found.hexdigest(), frozenset(imports(tree, parts) | set(filter(_file, packages)))


def digests(modules: Iterable[str], without: Iterable[str] = ()) -> dict[str, str]:
    """Digest of each module and of all that it imports, by name; FileNotFoundError if missing.

    Modules in ``without`` are skipped, and so is what only they import.

    >>> sorted(digests(["expr.kernel"]))
    ['expr', 'expr.elementary', 'expr.kernel', 'expr.operators', 'processor']
    """
    waiting, found = list(modules), {}
    apart = {"sources", *without}  # this module computes no result
    while waiting:
        if (name := waiting.pop()) not in found and name not in apart:
            if (path := _file(name)) is None:
                raise FileNotFoundError(f"no module {name!r} in pie; expected one as 'expr.kernel'")
            found[name], imported = _read(path, path.read_text())
            waiting += imported
    return found


def digest_of(
    modules: Iterable[str],
    settings: object = (),
    files: Iterable[Path] = (),
    without: Iterable[str] = (),
) -> bytes:
    """Digest of settings, files, and the code of ``modules`` with all that they import."""
    code = sorted(digests(modules, without).items())
    found = hashlib.sha256(repr((settings, code)).encode())
    for path in files:
        found.update(path.read_bytes())
    return found.digest()
