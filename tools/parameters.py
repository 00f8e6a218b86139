"""Which stages each section of params.yaml re-runs, as a table in docs/sweeps.md.

python tools/parameters.py
"""

from pathlib import Path, PurePosixPath

import readme
import yaml

ROOT = Path(__file__).resolve().parent.parent
SECTIONS = PurePosixPath("build/settings")  # a file each (tools/notebook_code.py)


def _paths(entries: list) -> list[PurePosixPath]:
    return [PurePosixPath(e if isinstance(e, str) else next(iter(e))) for e in entries]


def graph(stages: dict) -> dict[str, set[str]]:
    """Every stage with those that take something from it, by their paths; a matrix is one stage."""
    outs = {n: _paths([*s.get("outs", []), *s.get("metrics", [])]) for n, s in stages.items()}
    deps = {n: _paths(s.get("deps", [])) for n, s in stages.items()}

    def meet(out: PurePosixPath, dep: PurePosixPath) -> bool:
        return out.is_relative_to(dep) or dep.is_relative_to(out)

    return {
        name: {n for n in stages if any(meet(o, d) for o in outs[name] for d in deps[n])}
        for name in stages
    }


def taken(stage: dict) -> list[str]:
    """What a stage takes of params.yaml: whole sections by their files, then parts of sections."""
    files = [path.name for path in _paths(stage["deps"]) if path.parent == SECTIONS]
    return files + stage.get("params", [])


def rerun(stages: dict) -> dict[str, tuple[list[str], list[str]]]:
    """By section: the stages that depend on it, and those that follow from them."""
    sections: dict[str, list[str]] = {}
    for name, stage in stages.items():
        for parameter in taken(stage):
            parts = parameter.split(".")
            # what stands in one section together is one line; a single value has its own
            depth = {"notebooks": 2, "sensitivity": 1}.get(parts[0], len(parts))
            users = sections.setdefault(".".join(parts[:depth]), [])
            users += [name] * (name not in users)
    after = graph(stages)
    found = {}
    for section, users in sections.items():
        reached, edge = set(users), list(users)
        while edge:
            new = after[edge.pop()] - reached
            reached |= new
            edge += new
        found[section] = (users, [n for n in stages if n in reached and n not in users])
    return found


def table(stages: dict) -> str:
    """Markdown: a line per section."""
    head = "| Section | re-runs | and what follows |\n|---|---|---|\n"
    return head + "".join(
        f"| `{section}` | {', '.join(users)} | {', '.join(later) or '–'} |\n"
        for section, (users, later) in rerun(stages).items()
    )


def updated(text: str, root: Path = ROOT) -> str:
    """The text of docs/sweeps.md with the table between its markers."""
    stages = yaml.safe_load((root / "dvc.yaml").read_text())["stages"]
    return readme.updated(text, table(stages), "parameters")


if __name__ == "__main__":
    path = ROOT / "docs/sweeps.md"
    path.write_text(updated(path.read_text()))
