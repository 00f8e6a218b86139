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

Result = TypeVar("Result")


def of_search(folder: Path | None, weights: Path, config: PlusConfig) -> Path | None:
    """The journal of ``pie.discover`` under these weights, settings and the present code."""
    if folder is None:
        return None
    digest = digest_of(["discovery.laws"], config, sorted(Path(weights).glob("*.saf*"))).hex()
    return Path(folder) / f"{digest[:12]}.jsonl"


def each(
    run: Callable[[np.ndarray], Result],
    clouds: Sequence[np.ndarray],
    workers: int = 1,
    journal: Path | None = None,
) -> list[Result]:
    """``run(points)`` of every cloud, in order; a result is plain values, as in JSON.

    Points that the journal has are not run again. A line that was cut is not read.
    """
    keys = [hashlib.sha256(np.ascontiguousarray(c).tobytes()).hexdigest()[:16] for c in clouds]
    done = {}
    if journal:
        journal.parent.mkdir(parents=True, exist_ok=True)
        if journal.exists():
            lines = (x for x in journal.read_text().splitlines() if x.endswith("}"))
            done = {entry["points"]: entry["found"] for entry in map(json.loads, lines)}

    def named(key: str, points: np.ndarray) -> tuple[str, Result]:
        return key, run(points)

    jobs = [delayed(named)(k, c) for k, c in zip(keys, clouds, strict=True) if k not in done]
    results = Parallel(workers, return_as="generator_unordered")(jobs)
    for key, found in tqdm(results, "search", len(jobs), disable=None):
        done[key] = found
        if journal:
            with open(journal, "a") as file:
                line = json.dumps({"points": key, "found": found})
                file.write("\n" * (file.tell() > 0) + line)
    return [done[key] for key in keys]
