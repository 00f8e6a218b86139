"""Many jobs in processes; results stored one by one, so that an interrupted run continues."""

import contextlib
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from tqdm import tqdm

from ..files import whole
from ..sources import digest_of

Item, Config, Result = TypeVar("Item"), TypeVar("Config"), TypeVar("Result")


def _finished(path: Path | None) -> dict[str, dict]:
    """Lines of a journal by key; one that was cut is skipped."""
    if path is None or not path.exists():
        return {}
    found = {}
    for text in path.read_text().splitlines():
        with contextlib.suppress(ValueError):
            line = json.loads(text)
            found[line.pop("points")] = line
    return found


def resumed(
    run: Callable[[str, Item], dict],
    jobs: Sequence[tuple[str, Item, bytes]],
    journals: Mapping[str, Path | None],
    workers: int = 1,
) -> list[dict]:
    """``run(name, item)``, plain values as in JSON, of every job ``(name, item, content)``.

    In the order of the jobs. A job whose content ``journals[name]`` has is not run again; the
    result of any other is written there as soon as it is known.
    """
    done = {name: _finished(path) for name, path in journals.items()}
    keyed = [(name, hashlib.sha256(bits).hexdigest()[:16], item) for name, item, bits in jobs]
    new = [job for job in keyed if job[1] not in done[job[0]]]

    def named(name: str, key: str, item: Item) -> tuple[str, str, dict]:
        return name, key, run(name, item)

    results = Parallel(workers, return_as="generator_unordered")(delayed(named)(*j) for j in new)
    for name, key, found in tqdm(results, "search", len(new), disable=None):
        done[name][key] = found
        if journal := journals[name]:
            journal.parent.mkdir(parents=True, exist_ok=True)
            with open(journal, "a") as file:
                file.write("\n" * (file.tell() > 0) + json.dumps({"points": key} | found))
    return [done[name][key] for name, key, _ in keyed]


def search_all(
    search: Callable[[Item, Path, Config], Result],
    items: Sequence[Item],
    weights: Path,
    config: Config,
    workers: int,
    folder: Path | None,
    module: str = "discovery.laws",
    content: Callable[[Item], bytes] = np.ndarray.tobytes,
) -> list[Result]:
    """``search(item, weights, config)``, plain values, of every item.

    An item is points unless ``content`` is given. ``folder`` is for a journal of these weights,
    these settings and the present code of ``module``, from which an interrupted run continues.
    """

    def found(_: str, item: Item) -> dict:
        return {"found": search(item, weights, config)}

    journal = None
    if folder:
        digest = digest_of([module], config, sorted(Path(weights).glob("*.safetensors"))).hex()
        journal = Path(folder) / f"{digest[:12]}.jsonl"
    jobs = [("", item, content(item)) for item in items]
    return [line["found"] for line in resumed(found, jobs, {"": journal}, workers)]


def in_order(
    run: Callable[..., Result], jobs: Sequence[tuple], workers: int, title: str
) -> list[Result]:
    """``run(*job)`` of every job, with a bar of that title."""
    results = Parallel(workers, return_as="generator")(delayed(run)(*job) for job in jobs)
    return list(tqdm(results, title, len(jobs), disable=None))


def write_table(table: pd.DataFrame, path: Path) -> None:
    """Write a table as CSV, atomically."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole(path) as partial:
        table.to_csv(partial, index=False, lineterminator="\n")
