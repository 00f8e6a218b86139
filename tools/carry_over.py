"""Carry rows and weights over a change of code, if a sample of them comes out again.

    python tools/carry_over.py pretraining evaluation …

For each stage: of every method, some of the rows that cost least are found again, with the settings
and problems of the stage's notebook; of weights, the validation loss is computed again. Where
all agree (``SAME``), ``dvc commit -f STAGE`` records the present code; else the exit code is 1
and the stage has to be run. Rows that time decides (equal_time) agree where they are right again.

With ``--again`` as the first argument, all rows of a method are found again if its sample does not
agree, as where a search by chance is led elsewhere by the last bit of a fitness, or if its rows
lack the answers as the method returned them; the rows of other methods stay. With ``--missing``
rows that the tasks ask and a file lacks are found as well, as where a method gets more problems.
With ``--holding=TEXT`` all rows are found again whose equation holds the text, as ``sqrt`` where
only equations with roots are written otherwise, and the sample is of the others. With
``--given`` rows of 12_columns whose search knew the units are found again. With
``--rewritten`` these are the rows of *PIE+* whose equation gets another form or other numbers to
fit where it is simplified once more. Rows that come out the same keep their seconds.
"""

import pie  # noqa: F401 - before NumPy, which then computes as with AVX2

# isort: split
import io
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import nbformat
import numpy as np
import pandas as pd
from notebook import parameters_for
from notebook_code import run_part

from pie.data.recipe import corpora, first_skeletons
from pie.experiments.evaluation import Row, evaluate, read_rows, write_rows
from pie.experiments.journal import write_table
from pie.experiments.parts import Task, part_of
from pie.expr.canonical import canonical
from pie.expr.expression import parse
from pie.expr.known_numbers import free_numbers
from pie.network.model import load_weights
from pie.network.objective import validate
from pie.network.runs import RUNS, configs
from pie.search.finish import Judge, in_user_coordinates
from pie.search.plus import PlusConfig
from pie.zeroset.metric import Metric

ROOT = Path(__file__).resolve().parent.parent
AGAIN, MISSING, REWRITTEN, GIVEN = "--again", "--missing", "--rewritten", "--given"
HOLDING = "--holding="
WORKERS, JOURNALS = 2, ROOT / "build/carry_over"
ROWS = 3  # of each method in a file
ROW_SCORES = ("fitness", "two_sided")
SAME = {"fitness": 1e-3, "two_sided": 2e-2, "loss": 0.03}
WEIGHTS = {"pretraining": "pie", "pretraining_plus": "plus", "pretraining_small": "small"}
NOTEBOOKS = {  # stage: notebook and rows
    "evaluation": ("04_evaluation", "evaluation/pie"),
    "evaluation_plus": ("04_evaluation", "evaluation/plus"),
    "baselines": ("03_baselines", "evaluation/baselines"),
    "robustness": ("05_robustness", "robustness/pie"),
    "robustness_plus": ("05_robustness", "robustness/plus"),
    "robustness_baselines": ("05_robustness", "robustness/baselines"),
    "equal_time": ("09_equal_time", "equal_time/pie"),
    "equal_time_plus": ("09_equal_time", "equal_time/plus"),
    "equal_time_baselines": ("09_equal_time", "equal_time/baselines"),
    "sensitivity": ("06_sensitivity", "sensitivity"),
    "ablation": ("08_plus", "ablation"),
    "field": ("13_field", "field/*"),
}
CLOUDS = 20  # of no_law, and of the claims of 12_columns
TABLES, OBVIOUS = 8, 10  # every eighth table and every tenth obvious law of 11_measured
LAWS = 10  # every tenth of each set of 12_columns
SMALL = ("sensitivity_training", "sensitivity_ours")  # their weights are not kept


def set_up(notebook: str) -> dict:
    """What a notebook has after its cell ``run``, with nothing to run."""
    names: dict = {}
    for cell in run_part(nbformat.read(ROOT / f"notebooks/{notebook}.ipynb", 4).cells):
        if cell.cell_type == "code":
            exec(cell.source, names)  # our own notebooks
            if "parameters" in cell.metadata.get("tags", []):
                names |= parameters_for(notebook) | {"run": []}
    return names


def tasks_of(names: dict) -> list[Task]:
    """Tasks of a notebook; of 06 its settings of the search by label, of 08 its methods."""
    if "tasks" in names:
        return names["tasks"]
    if "wider" in names:
        settings = {**names["wider"], **names["looser"]}
        return [Task(s, ["PIE"], names["problems"], label) for label, s in settings.items()]
    return [Task(names["setting"], names["methods"], names["problems"])]


def known(tasks: list[Task]) -> dict:
    """Task and problem by what tells a row: method, test set, equation and budget."""
    found = {}
    for task in tasks:
        for method in task.methods:
            for p in task.problems:
                way = "" if p.sampling == "normal" else f", {p.sampling}"
                end = f", {task.label}" if task.label else ""
                budget = task.contest.budget(method) + way + end
                found[method, p.benchmark, p.equation_id, budget] = task, p
    return found


def sample(rows: list[Row]) -> list[Row]:
    """Of each method, rows spread over the cheapest quarter of those that ran."""
    by_method: dict[str, list[Row]] = {}
    for row in sorted(rows, key=lambda row: row.seconds):
        if row.seconds > 0.0:
            by_method.setdefault(row.method, []).append(row)
    return [m[i * len(m) // 4 // ROWS] for m in by_method.values() for i in range(ROWS)]


def agrees(old: Row, new: Row, timed: bool) -> bool:
    """Whether a row is the same within the tolerances."""
    if timed:
        return new.skeleton >= old.skeleton
    near = all(abs(getattr(old, s) - getattr(new, s)) <= SAME[s] for s in ROW_SCORES)
    if old.returned or AGAIN in sys.argv:  # rows of older code lack it
        near &= bool(old.returned) == bool(new.returned)
    return near and (old.skeleton, old.status) == (new.skeleton, new.status)


def told(same: bool, text: str) -> bool:
    """Print what was found again, and whether it is the same."""
    print(f"{'same ' if same else 'OTHER'} {text}", flush=True)
    return same


def label(task: Task, row: Row) -> Row:
    """A row as its file has it."""
    return replace(row, budget=f"{row.budget}, {task.label}") if task.label else row


def searched(asked: list[tuple], places: dict) -> dict[tuple, Row]:
    """Rows by key, found anew."""
    by_task: dict[tuple[str, int], list[tuple]] = {}
    for one in asked:
        by_task.setdefault((one[0], id(places[one][0])), []).append(one)
    found = {}
    for (method, _), keys in by_task.items():
        task = places[keys[0]][0]
        problems = [places[one][1] for one in keys]
        again = evaluate(task.contest, [method], problems, WORKERS, JOURNALS)
        found |= {key(row): row for row in (label(task, row) for row in again)}
        print(f"{len(keys)} rows of {method} were found", flush=True)
    return found


def find_again(old: list[Row], places: dict, files: list[Path]) -> None:
    """Find rows again, and write them in their places; what comes out the same keeps its seconds.

    So does what differs in how its method returned the answer only.
    """
    found = searched([key(row) for row in old], places)
    for path in files:
        rows = []
        for row in read_rows(path):
            new = found.get(key(row), row)
            as_before = replace(new, seconds=row.seconds)
            rows.append(as_before if replace(as_before, returned=row.returned) == row else new)
        write_rows(rows, path)


def find_missing(places: dict, path: Path) -> None:
    """Find the rows that a file lacks, and write all of them in the order of the tasks."""
    have = {key(row): row for row in read_rows(path)}
    asked = [one for one in places if part_of(one[0]) == path.stem]
    have |= searched([one for one in asked if one not in have], places)
    write_rows([have[one] for one in asked], path)


def key(row: Row) -> tuple[str, str, str, str]:
    return row.method, row.benchmark, row.equation_id, row.budget


def rows_agree(stage: str) -> bool:
    """Find a sample of the rows of a stage again."""
    notebook, name = NOTEBOOKS[stage]
    tasks = tasks_of(set_up(notebook))
    places = known(tasks)
    files = sorted((ROOT / "data/results").glob(f"{name}.csv"))
    if not files:
        raise FileNotFoundError(f"no rows data/results/{name}.csv of stage {stage}")
    rows = [row for path in files for row in read_rows(path)]
    answered = [row for row in rows if key(row) in places]
    if len(answered) < len(rows) and stage != "sensitivity":
        print(f"{len(rows) - len(answered)} of {len(rows)} rows are of no task of {notebook}")
        return False
    others, held = set(), holds(pd.Series([row.equation for row in answered], dtype=str))
    if REWRITTEN in sys.argv:
        held |= np.array(
            [
                row.method.startswith("PIE+")
                and rewritten(row.returned or row.equation, places[key(row)][1].points)
                for row in answered
            ]
        )
    holding = [row for row, one in zip(answered, held, strict=True) if one]
    for old in sample([row for row in answered if row not in holding]):
        task, problem = places[key(old)]
        (new,) = evaluate(task.contest, [old.method], [problem])
        scores = ", ".join(f"{s} {getattr(old, s)} | {getattr(new, s)}" for s in ROW_SCORES)
        found = f"{old.equation or old.status} | {new.equation or new.status}"
        where = f"{old.method}, {old.equation_id}, {old.budget}"
        same = agrees(old, new, stage.startswith("equal_time"))
        others |= set() if told(same, f"{where}: {found}, {scores}") else {old.method}
    if AGAIN in sys.argv:
        holding += [row for row in answered if row.method in others and row not in holding]
        others = set()
    if holding and not others:
        find_again(holding, places, files)
    if MISSING in sys.argv and not others:
        for path in files:
            find_missing(places, path)
    return not others


def holds(equations: pd.Series) -> pd.Series:
    """Which equations hold the text of ``--holding``; none if it is not given."""
    text = next((a.removeprefix(HOLDING) for a in sys.argv if a.startswith(HOLDING)), "")
    return equations.str.contains(text, regex=False) & bool(text)


def rewritten(text: str, cloud: np.ndarray) -> bool:
    """Whether an equation that is simplified at points (N, D) has another form or other numbers."""
    config = PlusConfig()
    judge = Judge(config.prices, config.curved, config.seed)
    try:
        old = canonical(parse(text))  # ValueError without an equation, too
        new = in_user_coordinates(old, cloud, judge, Metric.of(cloud)).expression
    except ValueError:  # no zeros, or too long
        return False
    return new.codes != old.codes or free_numbers(new).shape != free_numbers(old).shape


def as_written(rows: pd.DataFrame | Path) -> pd.DataFrame:
    """Rows, or a file of them, with values as they are written in a file."""
    file = rows if isinstance(rows, Path) else io.StringIO(rows.to_csv(index=False))
    return pd.read_csv(file, dtype=str, keep_default_na=False)


def weights_agree(run: str) -> bool:
    """The first items of the corpus and the logged validation loss, again."""
    drawn, _, training = configs(run, ROOT / "params.yaml")
    corpus, validation = corpora(drawn, ROOT / "data/benchmarks")
    first = (ROOT / f"data/corpus/{RUNS[run][0]}.txt").read_text().splitlines()
    items = first_skeletons(corpus) == first
    folder = ROOT / RUNS[run][3]
    logged = pd.read_csv(folder / "training.csv").validation_loss.min()
    n = training.validation_examples
    loss = validate(load_weights(folder), validation, n)["validation_loss"]
    print(f"{run}: first {len(first)} skeletons {'same' if items else 'OTHER'}; "
          f"loss on {n} items {logged} | {loss:.4f}")  # fmt: skip
    return items and abs(loss - logged) <= SAME["loss"]


def clouds_agree() -> bool:
    """Clouds of 10_no_law, spread over all of them, again: the same candidates."""
    names = set_up("10_no_law")
    clouds = [*names["clouds"], *names["noisy_clouds"]]
    chosen = clouds[:: len(clouds) // CLOUDS]
    config = names["settings"].inference_plus
    found = names["search"](chosen, ROOT / "data/models/pie-plus", config, names["workers"])
    with tempfile.TemporaryDirectory() as folder:
        names["write"](found, Path(folder) / "no_law.csv")
        new = pd.read_csv(Path(folder) / "no_law.csv", keep_default_na=False)
    old = pd.read_csv(ROOT / "data/results/no_law.csv", keep_default_na=False)
    same = True
    for cloud in chosen:
        before, after = (t[(t.part == cloud.part) & (t.cloud == cloud.name)] for t in (old, new))
        alike = before.equation.tolist() == after.equation.tolist()
        same &= told(alike, f"{cloud.part}, {cloud.name}: {len(after)} candidates")
    return same


def measured_agree() -> bool:
    """The answers to some measured tables and obvious laws of 11_measured again."""
    names, same = set_up("11_measured"), True
    config = names["settings"].inference_plus
    for rows, answer, found, every, items in (
        ("measured", "best", names["answers"], TABLES, names["asked"]),
        ("obvious", "answer", names["plain_answers"], OBVIOUS, names["obvious"]),
    ):
        old = pd.read_csv(ROOT / f"data/results/{rows}.csv")[::every].reset_index(drop=True)
        new = found(items[::every], config, names["workers"])
        for before, after in zip(old[answer], new[answer], strict=True):
            same &= told(before == after, f"{before} | {after}")
    return same


def columns_agree() -> bool:
    """The answers to some laws of 12_columns again, in the order of its rows."""
    names, path = set_up("12_columns"), ROOT / "data/results/columns.csv"
    laws = {name: {law.law_id: law for law in laws} for name, laws in names["sets"].items()}
    places, old = ["points", "units", "noise", "set", "law_id"], as_written(path)
    old.index = pd.MultiIndex.from_frame(old[places], names=[None] * len(places))
    first = old.points.eq(str(names["n_points"][0])) & old.units.eq("False")
    holding = holds(old.answer) | (old.units.eq("True") & (GIVEN in sys.argv))
    sampled = first & ~holding & old.law_id.isin([i for of in laws.values() for i in [*of][::LAWS]])
    new = []
    for (n, units, noise, name), rows in old[holding | sampled].groupby(places[:4], sort=False):
        asked = {name: [laws[name][law_id] for law_id in rows.law_id]}, [float(noise)], int(n)
        config, workers = names["settings"].inference_plus, names["workers"]
        given = {"with_units": units == "True"}
        new.append(names["answers"](*asked, names["weights"], config, workers, **given))
    found, good = as_written(pd.concat(new)), True
    found.index = pd.MultiIndex.from_frame(found[places])
    for place in old.index[sampled]:
        before, after = old.answer[place], found.answer[place]
        good &= told(before == after, f"{', '.join(place)}: {before} | {after}")
    if good and holding.any():
        print(f"{holding.sum()} laws were searched again", flush=True)
        other = [place for place in old.index[holding] if found.answer[place] != old.answer[place]]
        old.loc[other] = found.loc[other]
        write_table(old, path)
    return good


def claims_agree() -> bool:
    """What is claimed of some tables of 12_columns again.

    With ``--holding``, of all that have a law and had none claimed, too: they may get it.
    """
    names, path = set_up("12_columns"), ROOT / "data/results/columns_claims.csv"
    old = as_written(path)
    holding = holds(old["first"])
    holding |= bool(holding.any()) & old.of.str.startswith("laws") & (old["first"] == "")
    sampled = old.index.isin(old.index[~holding][:: len(old) // CLOUDS])
    asked = [names["clouds"][place] for place in old.index[holding | sampled]]
    config, workers = names["settings"].inference_plus, names["workers"]
    new = as_written(names["claims"](asked, names["weights"], config, workers))
    new.index = old.index[holding | sampled]
    alike = (new.drop(columns="seconds") == old.loc[new.index, new.columns[:-1]]).all(axis=1)
    for place, row in new[sampled[new.index]].iterrows():
        told(alike[place], f"{row.of}, {row.cloud}: {row.laws or '–'}")
    good = bool(alike[sampled[new.index]].all())
    if good and holding.any():
        print(f"{holding.sum()} tables were searched again", flush=True)
        old.loc[new.index[~alike]] = new[~alike]
        write_table(old, path)
    return good


def small_agree() -> bool:
    """Corpora and a network of that size, its losses, and Algorithm 2, again: not the training."""
    return weights_agree("small") and weights_agree("plus") and rows_agree("sensitivity")


OTHERS = {"no_law": clouds_agree, "measured": measured_agree}
OTHERS |= {"columns": columns_agree, "columns_claims": claims_agree}
OTHERS |= dict.fromkeys(SMALL, small_agree)


def main(stages: list[str]) -> None:
    """Check, then commit, the stages that are named."""
    stages_known = [*WEIGHTS, *NOTEBOOKS, *OTHERS]
    if not stages or {*stages} - {*stages_known}:
        sys.exit(f"{__doc__}\nStages: {', '.join(stages_known)}; given were {stages}")
    # what else the stages depend on; a later repro would otherwise train again
    subprocess.run(["dvc", "repro", "-q", "-s", "code", "variants"], cwd=ROOT, check=True)
    failed = []
    for stage in stages:
        print(f"--- {stage}", flush=True)
        if stage in OTHERS:
            same = OTHERS[stage]()
        else:
            same = rows_agree(stage) if stage in NOTEBOOKS else weights_agree(WEIGHTS[stage])
        if same:
            subprocess.run(["dvc", "commit", "-f", stage], cwd=ROOT, check=True)
        else:
            failed.append(stage)
    if failed:
        sys.exit(f"not carried over: {', '.join(failed)}")


if __name__ == "__main__":
    flags = (AGAIN, MISSING, REWRITTEN, GIVEN)
    main([a for a in sys.argv[1:] if a not in flags and not a.startswith(HOLDING)])
