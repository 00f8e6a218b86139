"""What made a file of reports/: the stage of dvc.yaml and the commit."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

NO_HISTORY = "no git history"


class Stage(NamedTuple):
    """A stage of dvc.yaml; paths are from the root of the project.

    >>> stage = Stage("draw", "", (), ("reports/figures/a.svg", "reports/tables/paper"))
    >>> stage.makes("figures/a"), stage.makes("tables/paper/b"), stage.makes("figures/ab")
    (True, True, False)
    """

    name: str
    description: str
    commands: tuple[str, ...]
    outs: tuple[str, ...]

    def makes(self, stem: str) -> bool:
        """Whether an output is ``stem`` in reports/ with any suffix, or a folder that has it."""
        path = PurePosixPath("reports", stem)
        outs = [PurePosixPath(out) for out in self.outs]
        return any(path == out.with_suffix("") or path.is_relative_to(out) for out in outs)

    @property
    def notebooks(self) -> list[str]:
        """Names of the notebooks that the stage runs."""
        words = [command.split() for command in self.commands]
        return [w[2] for w in words if w[:2] == ["python", "tools/notebook.py"]]


def stages(pipeline: Mapping) -> list[Stage]:
    """The stages of a parsed dvc.yaml, in its order; one with ``foreach`` is taken as one."""
    found = []
    for name, stage in pipeline["stages"].items():
        body = stage.get("do", stage)
        outs = [out for kind in ("outs", "plots", "metrics") for out in body.get(kind, ())]
        commands = body["cmd"] if isinstance(body["cmd"], list) else [body["cmd"]]
        paths = tuple(out if isinstance(out, str) else next(iter(out)) for out in outs)
        found.append(Stage(name, body.get("desc", ""), tuple(commands), paths))
    return found


class History(NamedTuple):
    """What git knows of some files.

    ``head`` is the commit that is checked out; ``commits`` come newest first, each with the files
    that it changed; ``changed`` are files that differ from ``head``, or are not in it.

    >>> history = History("c2", (("c2", frozenset({"b"})), ("c1", frozenset({"a", "b"}))),
    ...                   frozenset({"new"}))
    >>> history.commit(["a"]), history.commit(["a", "b"]), history.commit(["a", "new"])
    ('c1', 'c2', 'c2 with changes')
    """

    head: str
    commits: Sequence[tuple[str, frozenset[str]]]
    changed: frozenset[str]

    def commit(self, files: Iterable[str]) -> str:
        """The last commit that changed any of ``files``, as ``git log -1 -- files`` gives it."""
        files = frozenset(files)
        if files & self.changed:
            return f"{self.head} with changes"
        return next(commit for commit, touched in self.commits if touched & files)
