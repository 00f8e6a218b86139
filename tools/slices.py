"""Tables of textbook formulas: how often the first answer is the law, but for its constants.

    python tools/slices.py --seeds 0 150
    python tools/slices.py --seeds 0 150 --form 0.5   # another weight of the prior on forms

A table holds two or three quantities of a formula of data/prior/formulas.csv, one of which the
formula gives; the others stay the same. The prior on forms is made of the formulas in the other
half of that list, so no formula helps to find itself, but for others that have its form. A table of
two columns has equal steps in the column that was set, every second time; the column that is given
has noise of 1, 3 or 10 % of its spread. Choices were made on seeds below 150.
"""

import pie  # noqa: F401 - before NumPy, which then computes as with AVX2

# isort: split
import argparse
from dataclasses import replace
from pathlib import Path

import forms as of_formulas
import numpy as np
import pandas as pd

from pie.discovery.laws import discover
from pie.experiments.journal import in_order
from pie.experiments.metrics import right_skeleton
from pie.expr.canonical import canonical
from pie.expr.expression import Expression, from_tree, to_infix, to_tree
from pie.expr.linear_form import NoZeroSet
from pie.expr.terms import terms
from pie.search import price
from pie.search.plus import PlusConfig
from pie.zeroset.box import Box
from pie.zeroset.roots import points_on_zero_set

NOISE = (0.01, 0.03, 0.1)  # of the spread of the column that is given
ROWS = (12, 61)


def _drawn(seed: int) -> tuple[int, Expression, np.ndarray, np.ndarray] | None:
    """Place in the list, law, points (N, D) without noise and with it; None if there are none."""
    rng = np.random.default_rng([20261130, seed])
    place = int(rng.integers(len(of_formulas.laws())))
    law, size = of_formulas.laws()[place], int(rng.integers(2, 4))
    first = from_tree(terms(to_tree(law))[0]).variables
    if len(law.variables) < size or not first:
        return None
    given = int(rng.choice(first))
    others = rng.permutation([j for j in law.variables if j != given])
    left = {given: size, **{int(j): k for k, j in enumerate(others[: size - 1], 1)}}
    held = {int(j): ("c", round(float(rng.uniform(0.5, 3.0)), 3)) for j in others[size - 1 :]}
    numbers = [c if c == round(c) else c * rng.uniform(0.7, 1.4) for c in law.constants]
    tree = of_formulas.placed(to_tree(law.with_constants(numbers)), left, held)
    law, n = from_tree(tree), int(rng.integers(*ROWS))
    low = rng.uniform(0.2, 1.0, size)
    starts = rng.uniform(low, low * rng.uniform(2.0, 10.0, size), (n, size))
    if size == 2 and rng.random() < 0.5:
        starts[:, 0] = np.linspace(starts[:, 0].min(), starts[:, 0].max(), n)
    branch = np.random.default_rng(0)  # the same for all points
    clean = np.vstack([points_on_zero_set(law, s[None], size, branch) for s in starts] or [[]])
    try:
        whole = len(canonical(law).variables) == size
    except NoZeroSet:
        return None
    if not whole or len(clean) < n or not np.all(np.ptp(clean, axis=0) > 1e-3):
        return None
    noisy = clean.copy()
    noisy[:, -1] += rng.choice(NOISE) * clean[:, -1].std() * rng.standard_normal(n)
    return place, law, clean, noisy


def answer(seed: int, weight: float | None) -> dict | None:
    """A row; None where the formula has no such table."""
    drawn = _drawn(seed)
    if drawn is None:
        return None
    place, law, clean, noisy = drawn
    price.forms = lambda: of_formulas.without_half(place % 2)
    price.form_price.cache_clear()
    config = PlusConfig()
    if weight is not None:
        config = replace(config, prices=replace(config.prices, form=weight))
    found = discover(noisy, config=config, workers=1, seconds=np.inf)
    box, size = Box(clean.min(axis=0), clean.max(axis=0)), clean.shape[1]
    whole = [one for one in found.candidates if len(one.names) == size]
    right = [right_skeleton(one.program, law, size, 0, box) for one in whole[:10]]
    same = [canonical(one.program).codes == canonical(law).codes for one in whole[:10]]
    return {
        "seed": seed, "variables": size, "first": any(right[:1]), "form": any(same[:1]),
        "among": any(right), "law": to_infix(to_tree(law), 4), "seconds": found.seconds,
        "best": to_infix(to_tree(whole[0].program), 4) if whole else "",
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, nargs=2, default=(0, 150), help="first, and one after")
    parser.add_argument("--form", type=float, help="weight of the prior (inference_plus.prices)")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rows", type=Path, help="a CSV to write them to")
    options = parser.parse_args()
    jobs = [(seed, options.form) for seed in range(*options.seeds)]
    rows = pd.DataFrame([r for r in in_order(answer, jobs, options.workers, "tables") if r])
    if options.rows:
        rows.to_csv(options.rows, index=False)
    for row in rows[~rows["first"]].itertuples():
        print(f"seed {row.seed}: {row.law} = 0 was answered by {row.best} = 0")
    print(rows.groupby("variables")[["first", "form", "among"]].sum().to_string())
    print(f"{len(rows)} tables, {rows['first'].sum()} first, {rows.form.sum()} in form, "
          f"{rows.among.sum()} among, median {rows.seconds.median():.1f} s")  # fmt: skip


if __name__ == "__main__":
    main()
