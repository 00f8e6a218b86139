"""*PIE+* of this working tree beside that of another revision, on the same new problems.

    python tools/compare.py REVISION --first 80000 --each 8

Problems are those of notebooks/08_plus.ipynb from another item on: take items (``--first``) on
which no choice was made. Both search at once, a process of one thread each, with their own default
settings and the same weights. Each has a copy of its sources in build/compare, named by the
revision or, for this tree, by a digest. Answers are kept there by sources, weights and points, so
that an interrupted run goes on; the metrics of this tree score them.
"""

import pie  # noqa: F401 - before NumPy, which then computes as with AVX2

# isort: split
import argparse
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from pie.data.benchmarks import Problem
from pie.experiments.answers import answer_to
from pie.experiments.evaluation import Row, scored
from pie.experiments.fresh import fresh_problems
from pie.experiments.settings import load_settings
from pie.expr.expression import parse

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build/compare"
WEIGHTS = ROOT / "data/models/pie-plus"
NOISE = (0.0, 0.01, 0.05)  # of the spread of each column


def problems(first: int, each: int) -> dict[str, Problem]:
    """``each`` problems of every corpus, noise and number of variables, by digest of the points."""
    settings = load_settings(ROOT / "params.yaml")
    made = fresh_problems(settings, ROOT / "data/benchmarks", NOISE, each, first)
    return {hashlib.sha256(p.points.tobytes()).hexdigest()[:16]: p for p in made}


def digest(folder: Path) -> str:
    """Of the names and bytes of all files below a folder."""
    found = hashlib.sha256()
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        found.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return found.hexdigest()[:12]


def exported(revision: str) -> Path:
    """A folder with src as it is in a revision; ValueError if there is no such revision."""
    git = ["git", "-C", str(ROOT)]
    command = [*git, "rev-parse", "--short", "--verify", f"{revision}^{{commit}}"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise ValueError(f"unknown revision {revision!r}; expected a commit, branch or tag")
    folder = FOLDER / done.stdout.strip()
    if not folder.exists():
        packed = subprocess.check_output([*git, "archive", folder.name, "src"])
        with tempfile.TemporaryDirectory(dir=FOLDER) as partial:
            tarfile.open(fileobj=io.BytesIO(packed)).extractall(f"{partial}/tree", filter="data")
            Path(partial, "tree").rename(folder)
    return folder


def copied() -> Path:
    """A folder with src as it is here and now; it may be edited while the search runs."""
    with tempfile.TemporaryDirectory(dir=FOLDER) as partial:
        tree = Path(partial, "tree")
        shutil.copytree(ROOT / "src", tree / "src", ignore=shutil.ignore_patterns("__pycache__"))
        folder = FOLDER / f"here-{digest(tree)}"
        if not folder.exists():
            tree.rename(folder)
    return folder


def answers(trees: Sequence[Path], points: Path) -> list[dict[str, dict]]:
    """For each of the trees: answers (tools/compare_search.py) by digest of the points."""
    journals = [FOLDER / f"{tree.name}-weights-{digest(WEIGHTS)}.jsonl" for tree in trees]
    running = []
    for place, (tree, journal) in enumerate(zip(trees, journals, strict=True)):
        env = os.environ | {"PYTHONPATH": str(tree / "src"), "OMP_NUM_THREADS": "1"}
        search = [sys.executable, str(ROOT / "tools/compare_search.py"), points, WEIGHTS, journal]
        running.append(subprocess.Popen([*search, tree.name, str(place)], env=env))
    if any([process.wait() for process in running]):  # of both
        sys.exit("a search failed; what it found is kept, and the same command goes on from there")
    lines = [[x for x in j.read_text().splitlines() if x.endswith("}")] for j in journals]
    return [{line["points"]: line for line in map(json.loads, side)} for side in lines]


def rows(asked: dict[str, Problem], found: dict[str, dict], method: str) -> list[Row]:
    """The answers to all problems, scored."""
    written = []
    for key, problem in asked.items():
        text, seconds, status = (found[key][name] for name in ("equation", "seconds", "status"))
        equation = parse(text) if text else None
        written.append(answer_to(problem, equation, method, seconds, 0, problem.sampling, status))
    return scored(written, [*asked.values()])


def table(before: Sequence[Row], after: Sequence[Row], name: str) -> pd.DataFrame:
    """Shares of right answers and medians of seconds, by level of noise."""
    lines = []
    for test_set in dict.fromkeys(row.test_set for row in before):
        pairs = [(a, b) for a, b in zip(before, after, strict=True) if a.test_set == test_set]
        line: dict = {"noise": test_set.partition(", noise ")[2] or "0", "problems": len(pairs)}
        for title, score in (("skeleton", "skeleton"), ("two-sided", "recovered")):
            a, b = np.array([[row.score(score) for row in pair] for pair in pairs]).T
            line[f"{title} %, {name}"] = f"{100 * a.mean():.1f}"
            line[f"{title} %, here"] = f"{100 * b.mean():.1f}"
            line[f"{title}, gained, lost"] = f"+{np.sum(b > a)} −{np.sum(b < a)}"
        a, b = np.median([[row.seconds for row in pair] for pair in pairs], axis=0)
        lines.append(line | {f"median CPU s, {name}": f"{a:.2f}", "CPU s, here": f"{b:.2f}"})
    return pd.DataFrame(lines)


def main() -> None:
    """Search with both, score, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("revision", help="a commit, branch or tag")
    parser.add_argument("--first", type=int, required=True, help="item of the validation split")
    parser.add_argument("--each", type=int, default=8, help="problems of each kind (8)")
    given = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    try:
        trees = [exported(given.revision), copied()]
    except ValueError as error:
        parser.error(str(error))
    asked, points = problems(given.first, given.each), FOLDER / f"{given.first}-{given.each}.npz"
    np.savez(points, **{key: problem.points for key, problem in asked.items()})
    found = answers(trees, points)
    scores = [rows(asked, side, tree.name) for side, tree in zip(found, trees, strict=True)]
    print(table(*scores, trees[0].name).to_markdown(index=False, disable_numparse=True))


if __name__ == "__main__":
    main()
