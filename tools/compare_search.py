"""One side of tools/compare.py: answers of the *PIE+* that PYTHONPATH names, a line of JSON each.

python tools/compare_search.py POINTS WEIGHTS ANSWERS LABEL PLACE
"""

import pie  # noqa: F401 - before NumPy, which then computes as with AVX2

# isort: split
import json
import sys
import time
from pathlib import Path

import numpy as np
import torch
from tqdm import tqdm

from pie import from_pretrained
from pie.expr.canonical import canonical
from pie.search.plus import PlusConfig, discover_plus


def answer(model: object, points: np.ndarray) -> dict:
    """The best candidate in canonical form, empty where there is none, and seconds of processor."""
    began = time.process_time()
    try:
        best, status = discover_plus(model, points, PlusConfig(), 1).best, "ok"
    except ValueError as reason:  # points that this revision cannot use
        best, status = None, str(reason)
    seconds = time.process_time() - began
    equation = "" if best is None else str(best.expression)
    if best is not None:
        try:
            equation = str(canonical(best.expression))
        except ValueError:  # no zeros by its form, or far too long
            status = "no canonical form"
    return {"equation": equation, "seconds": seconds, "status": status}


def main(points: str, weights: str, answers: str, label: str, place: str) -> None:
    """Ask about every cloud in ``points`` (npz) that has no line in ``answers`` yet."""
    path = Path(answers)
    lines = path.read_text().splitlines() if path.exists() else []
    done = {json.loads(line)["points"] for line in lines if line.endswith("}")}
    with np.load(points) as stored:
        clouds = {key: stored[key] for key in stored if key not in done}
    if not clouds:
        return
    torch.set_num_threads(1)
    model = from_pretrained(weights)
    answer(model, [*clouds.values()][-1])  # compiles, before the clock runs
    with open(path, "a") as journal:
        for key, cloud in tqdm(clouds.items(), label, position=int(place), disable=None):
            line = json.dumps({"points": key, **answer(model, cloud)})
            journal.write("\n" * (journal.tell() > 0) + line)  # a line cut by a kill stays alone
            journal.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
