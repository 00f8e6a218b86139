"""Which modules of the library a result depends on: what runs is known by its imports.

Journals of finished rows carry a digest of these files, so that a change elsewhere in the
library does not throw rows away.
"""

import ast
import functools
import hashlib
from collections.abc import Iterable
from pathlib import Path

PACKAGE = Path(__file__).parent


@functools.cache
def _imported(path: Path) -> tuple[Path, ...]:
    """Files of the package that a module imports."""
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.ImportFrom) or not node.level:
            continue
        folder = path.parents[node.level - 1]
        if node.module:
            folder = folder.joinpath(*node.module.split("."))
        inside = [folder / f"{alias.name}.py" for alias in node.names]
        found += [p for p in (folder.with_suffix(".py"), *inside) if p.exists()]
    return tuple(found)


def sources(modules: Iterable[str]) -> list[Path]:
    """Files of the named modules (``evaluation``, ``baselines.genetic``) and all they import.

    Raises:
        FileNotFoundError: a module that does not exist, quoted.

    >>> [path.stem for path in sources(["expr.kernel"])]
    ['kernel', 'operators', 'vector_math']
    """
    open_paths = [PACKAGE.joinpath(*name.split(".")).with_suffix(".py") for name in modules]
    for path in open_paths:
        if not path.exists():
            raise FileNotFoundError(f"no module {path.relative_to(PACKAGE)} in pie")
    found: set[Path] = set()
    while open_paths:
        path = open_paths.pop()
        if path not in found:
            found.add(path)
            open_paths += _imported(path)
    return sorted(found)


def digest_of(modules: Iterable[str], settings: object, files: Iterable[Path] = ()) -> bytes:
    """Digest of settings, files, and the named modules with all that they import."""
    found = hashlib.sha256(repr(settings).encode())
    for path in [*files, *sources(modules)]:
        found.update(path.read_bytes())
    return found.digest()
