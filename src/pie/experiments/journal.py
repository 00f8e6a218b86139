"""Results stored one by one, so that an interrupted run continues where it was."""

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np
from joblib import Parallel, delayed
from tqdm import tqdm

from ..search.plus import PlusConfig
from ..sources import digest_of

Item, Result = TypeVar("Item"), TypeVar("Result")


def of_search(
    folder: Path | None, weights: Path, config: PlusConfig, module: str = "discovery.laws"
) -> Path | None:
    """The journal of what ``module`` finds with these weights, settings and the present code."""
    if folder is None:
        return None
    digest = digest_of([module], config, sorted(Path(weights).glob("*.saf*"))).hex()
    return Path(folder) / f"{digest[:12]}.jsonl"


def each(
    run: Callable[[Item], Result],
    items: Sequence[Item],
    workers: int = 1,
    journal: Path | None = None,
    content: Callable[[Item], bytes] = lambda points: np.ascontiguousarray(points).tobytes(),
) -> list[Result]:
    """``run(item)`` of every item, in order; a result is plain values, as in JSON.

    Items whose ``content`` the journal has are not run again; an item is points unless ``content``
    says otherwise. A line that was cut is not read.
    """
    keys = [hashlib.sha256(content(item)).hexdigest()[:16] for item in items]
    done = {}
    if journal:
        journal.parent.mkdir(parents=True, exist_ok=True)
        if journal.exists():
            lines = (x for x in journal.read_text().splitlines() if x.endswith("}"))
            done = {entry["points"]: entry["found"] for entry in map(json.loads, lines)}

    def named(key: str, item: Item) -> tuple[str, Result]:
        return key, run(item)

    jobs = [delayed(named)(k, item) for k, item in zip(keys, items, strict=True) if k not in done]
    results = Parallel(workers, return_as="generator_unordered")(jobs)
    for key, found in tqdm(results, "search", len(jobs), disable=None):
        done[key] = found
        if journal:
            with open(journal, "a") as file:
                line = json.dumps({"points": key, "found": found})
                file.write("\n" * (file.tell() > 0) + line)
    return [done[key] for key in keys]
