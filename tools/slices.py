"""Tables of textbook formulas: is the law the first answer, a rival of it, or among the others?

    python tools/slices.py --seeds 240 480

A table holds two or three quantities of a formula of data/prior/formulas.csv, one of which the
formula gives; the others stay the same. The prior on forms is made of the formulas in the other
half of that list, so no formula helps to find itself, but for others that have its form. A table of
two columns has equal steps in the column that was set, every second time; the column that is given
has noise of 1, 3 or 10 % of its spread. A law is right if it has the formula's skeleton. Choices
were made on seeds below 240.
"""

import pie  # noqa: F401 - before NumPy, which then computes as with AVX2

# isort: split
import argparse

import numpy as np
import pandas as pd
from forms import FORMULAS, counts

from pie.data.benchmarks import read_rows
from pie.discovery.laws import discover
from pie.experiments.journal import in_order
from pie.experiments.metrics import right_skeleton
from pie.expr.canonical import canonical
from pie.expr.expression import Expression, Tree, from_tree, parse, to_infix, to_tree
from pie.expr.linear_form import NoZeroSet
from pie.expr.terms import terms
from pie.search import price
from pie.search.forms import Forms
from pie.zeroset.box import Box
from pie.zeroset.roots import points_on_zero_set

NOISE = (0.01, 0.03, 0.1)  # of the spread of the column that is given
ROWS = (12, 61)


def _placed(tree: Tree, left: dict[int, int], held: dict[int, float]) -> Tree:
    """With the variables that are ``left`` under new numbers, and numbers for those ``held``."""
    if tree[0] == "x":
        return ("x", left[tree[1]]) if tree[1] in left else ("c", held[tree[1]])
    parts = (_placed(part, left, held) for part in tree[1:])
    return tree if tree[0] == "c" else (tree[0], *parts)


def sliced(
    formula: Expression, size: int, rng: np.random.Generator
) -> tuple[Expression, np.ndarray, np.ndarray] | None:
    """A law of ``size`` columns, the last one given, points (N, D) and these with noise.

    None where the formula has too few quantities, gives none, or has no such points.
    """
    first = from_tree(terms(to_tree(formula))[0]).variables
    if len(formula.variables) < size or not first:
        return None
    given = int(rng.choice(first))
    others = rng.permutation([j for j in formula.variables if j != given])
    left = {given: size, **{int(j): k for k, j in enumerate(others[: size - 1], 1)}}
    held = {int(j): round(float(rng.uniform(0.5, 3.0)), 3) for j in others[size - 1 :]}
    numbers = [c if c == round(c) else c * rng.uniform(0.7, 1.4) for c in formula.constants]
    law = from_tree(_placed(to_tree(formula.with_constants(numbers)), left, held))
    n, low = int(rng.integers(*ROWS)), rng.uniform(0.2, 1.0, size)
    starts = rng.uniform(low, low * rng.uniform(2.0, 10.0, size), (n, size))
    if size == 2 and rng.random() < 0.5:
        starts[:, 0] = np.linspace(starts[:, 0].min(), starts[:, 0].max(), n)
    branch = np.random.default_rng(0)
    clean = np.vstack([points_on_zero_set(law, one[None], size, branch) for one in starts])
    try:
        whole = len(canonical(law).variables) == size
    except NoZeroSet:
        return None
    if not whole or len(clean) < n or not np.all(np.ptp(clean, axis=0) > 1e-3):
        return None
    noisy = clean.copy()
    noisy[:, -1] += rng.choice(NOISE) * clean[:, -1].std() * rng.standard_normal(n)
    return law, clean, noisy


def answer(seed: int, formulas: list[str], priors: list[dict]) -> dict | None:
    """A row; None where the formula has no such table."""
    rng = np.random.default_rng([20261130, seed])
    place, size = int(rng.integers(len(formulas))), int(rng.integers(2, 4))
    drawn = sliced(parse(formulas[place]), size, rng)
    if drawn is None:
        return None
    law, clean, noisy = drawn
    own = Forms(priors[place % 2])
    price.forms = lambda: own
    price.form_price.cache_clear()
    found = discover(noisy, workers=1, seconds=np.inf)
    box = Box(clean.min(axis=0), clean.max(axis=0))
    whole = [one for one in found.candidates if len(one.names) == size]
    right = [right_skeleton(one.program, law, size, 0, box) for one in whole]
    rivals = [ok for one, ok in zip(whole, right, strict=True) if one in found.rivals]
    return {
        "seed": seed, "variables": size, "first": any(right[:1]), "rival": any(right[:1] + rivals),
        "among": any(right), "law": to_infix(to_tree(law), 4), "seconds": found.seconds,
        "best": to_infix(to_tree(whole[0].program), 4) if whole else "",
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, nargs=2, default=(0, 240), help="first, and one after")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    formulas = [row["equation"] for row in read_rows(FORMULAS)]
    forms = [canonical(parse(text)) for text in formulas]
    priors = [counts(forms[1::2]), counts(forms[::2])]  # without the first of each two, or second
    jobs = [(seed, formulas, priors) for seed in range(*options.seeds)]
    rows = pd.DataFrame([r for r in in_order(answer, jobs, options.workers, "tables") if r])
    for row in rows[~rows["first"]].itertuples():
        print(f"seed {row.seed}: {row.law} = 0 was answered by {row.best} = 0")
    print(rows.groupby("variables")[["first", "rival", "among"]].sum().to_string())
    first, rival, among = rows[["first", "rival", "among"]].sum()
    print(f"{len(rows)} tables: {first} first, {rival} with rivals, {among} among all")


if __name__ == "__main__":
    main()
