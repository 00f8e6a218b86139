"""Laws of four columns or more: is the law that the points were drawn from the best answer?

An answer is *right* if it is the law but for the values of its constants (in the box of noise-free
points), *exact* if it fits these to rounding, a *law* if it passes for one in :func:`pie.discover`.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from tqdm import tqdm

from ..data.columns import ColumnLaw, points
from ..discovery.certificate import certify
from ..discovery.laws import wide_columns
from ..discovery.pretrained import from_pretrained
from ..expr.expression import Expression, to_infix, to_tree
from ..fit.uncertainty import polished
from ..search.candidates import Unusable
from ..search.plus import MOST_COLUMNS, PlusConfig, discover_plus
from ..sources import digest_of
from ..zeroset.box import Box
from ..zeroset.metric import Metric
from ..zeroset.spreads import robust_spreads
from .metrics import right_skeleton

FOUND, TOO_WIDE = "ok", f"more than {MOST_COLUMNS} columns"
SEED, DIGITS = 0, 4  # of points and metric; significant ones of constants in rows


def _searched(key: str, drawn: np.ndarray, weights: Path, config: PlusConfig) -> dict:
    """The best answer as plain values, for the journal; ``form`` is the price of its form."""
    try:
        found = discover_plus(from_pretrained(weights), drawn, config, 1, None, wide_columns(drawn))
    except Unusable as reason:
        return {"points": key, "status": str(reason), "seconds": 0.0}
    if (best := found.best) is None:
        return {"points": key, "status": "no candidate", "seconds": found.seconds}
    form = best.price.total - best.price.misfit if best.price else 0.0
    return {
        "points": key, "status": FOUND, "seconds": found.seconds, "proposer": best.proposer,
        "codes": best.expression.codes, "constants": best.expression.constants,
        "contrast": float(best.contrast), "form": float(np.nan_to_num(form, nan=np.inf)),
        "logarithmic": found.logarithmic,
    }  # fmt: skip


def _judged(of: str, law: ColumnLaw, noise: float, n: int, found: dict, config: PlusConfig) -> dict:
    """A row: what was asked, and how the answer compares with the law."""
    row = {
        "set": of, "law_id": law.law_id, "name": law.name, "kind": law.kind,
        "width": len(law.columns), "noise": noise, "status": found["status"], "right": False,
        "exact": False, "law": False, "contrast": np.inf, "seconds": round(found["seconds"], 2),
        "proposer": "", "answer": "", "truth": to_infix(to_tree(law.equation), DIGITS),
    }  # fmt: skip
    if found["status"] != FOUND:
        return row
    answer = Expression(tuple(found["codes"]), tuple(found["constants"]))
    clean, drawn = (points(law, n, level, SEED) for level in (0.0, noise))
    box = Box(clean.min(axis=0), clean.max(axis=0))
    metric = Metric.of(drawn, tuple(found["logarithmic"]), robust_spreads)
    final = polished(answer, drawn, metric.units(drawn))
    return row | {
        "right": right_skeleton(answer, law.equation, drawn.shape[1], SEED, box),
        "exact": noise == 0.0 and found["contrast"] <= config.prices.resolution,
        "law": certify(final, drawn, found["form"], metric).law,
        "contrast": float(f"{found['contrast']:.3g}"), "proposer": found["proposer"],
        "answer": to_infix(to_tree(answer), DIGITS),
    }  # fmt: skip


def answers(
    sets: Mapping[str, Sequence[ColumnLaw]],
    noise: Sequence[float],
    n: int,
    weights: Path,
    config: PlusConfig = PlusConfig(),
    workers: int = 1,
    folder: Path | None = None,
) -> pd.DataFrame:
    """A row for each law of the sets under each noise, n points each; too wide ones say so.

    ``folder`` receives a journal, from which a run of the same settings and sources continues.
    """
    asked = [(name, law, level) for name, laws in sets.items() for law in laws for level in noise]
    clouds = [points(law, n, level, SEED) for _, law, level in asked]
    keys = [hashlib.sha256(cloud.tobytes()).hexdigest()[:16] for cloud in clouds]
    narrow = {k: c for k, c in zip(keys, clouds, strict=True) if c.shape[1] <= MOST_COLUMNS}
    done = {key: {"status": TOO_WIDE, "seconds": 0.0} for key in keys if key not in narrow}
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
        digest = digest_of(["discovery.laws"], config, sorted(weights.glob("*.saf*"))).hex()
        journal = folder / f"{digest[:12]}.jsonl"
        if journal.exists():
            lines = [json.loads(x) for x in journal.read_text().splitlines() if x.endswith("}")]
            done |= {entry["points"]: entry for entry in lines}
    jobs = [delayed(_searched)(k, c, weights, config) for k, c in narrow.items() if k not in done]
    results = Parallel(workers, return_as="generator_unordered")(jobs)
    for found in tqdm(results, "search", len(jobs), disable=None):
        done[found["points"]] = found
        if folder:
            with open(journal, "a") as file:
                file.write("\n" * (file.tell() > 0) + json.dumps(found))
    jobs = [delayed(_judged)(*a, n, done[k], config) for a, k in zip(asked, keys, strict=True)]
    rows = Parallel(workers, return_as="generator")(jobs)
    return pd.DataFrame(tqdm(rows, "judge", len(jobs), disable=None))
