"""The prior on forms of src/pie/search/forms.json, from data/prior/formulas.csv.

    python tools/forms.py

It prints how often constants of these formulas are known, by the part that they play, and how many
of those that could have the magnitude of an earlier one do (:mod:`pie.expr.known_numbers`).
"""

import json
from collections import Counter
from functools import cache
from itertools import combinations, permutations
from pathlib import Path

from pie.data.benchmarks import read_rows
from pie.expr.canonical import canonical
from pie.expr.expression import Expression, Tree, from_tree, parse, to_tree
from pie.expr.known_numbers import free_numbers, known_numbers, parts_of
from pie.expr.linear_form import NoZeroSet
from pie.expr.terms import terms
from pie.search.forms import COUNTS, Forms, nodes

FORMULAS = Path(__file__).resolve().parent.parent / "data/prior/formulas.csv"


def formulas(path: Path) -> list[Expression]:
    """The formulas of a CSV, as written."""
    return [parse(row["equation"]) for row in read_rows(path)]


def counts(forms: list[Expression]) -> dict[str, dict[str, int]]:
    """How often each node stands in each context, and in the shorter ones."""
    found: dict[str, Counter] = {}
    for form in forms:
        for node, context in nodes(to_tree(form)):
            for length in range(len(context) + 1):
                found.setdefault("|".join(context[:length]), Counter())[node] += 1
    return {context: dict(sorted(seen.items())) for context, seen in sorted(found.items())}


def placed(tree: Tree, left: dict[int, int], held: dict[int, Tree]) -> Tree:
    """With the variables that are ``left`` under new numbers, and numbers for those ``held``."""
    if tree[0] == "x":
        return ("x", left[tree[1]]) if tree[1] in left else held[tree[1]]
    return tree if tree[0] == "c" else (tree[0], *(placed(child, left, held) for child in tree[1:]))


def slices(laws: list[Expression], n_variables: int) -> dict[str, dict[str, float]]:
    """How often slices with so many variables have each form, by the place of the one given.

    That is one of the first term of a law, as F of F − m·a. The others stand in every order, and
    all slices of one law with a place count as one.
    """
    found: dict[str, Counter] = {str(place): Counter() for place in range(1, n_variables + 1)}
    for law in laws:
        given = {*from_tree(terms(to_tree(law))[0]).variables}
        kept = [some for some in combinations(law.variables, n_variables) if given & {*some}]
        orders = [order for some in kept for order in permutations(some)]
        for place, seen in enumerate(found.values()):
            cut = [_slice(law, order) for order in orders if order[place] in given]
            usable = [one for one in cut if one and len(one.variables) == n_variables]
            for one in usable:
                seen[" ".join(one.tokens)] += 1.0 / len(usable)
    return {
        place: {text: float(f"{n:.6g}") for text, n in sorted(seen.items())}
        for place, seen in found.items()
    }


def _slice(law: Expression, order: tuple[int, ...]) -> Expression | None:
    left = {variable: place for place, variable in enumerate(order, 1)}
    held = {j: ("c", 0.7 + 0.61 * j) for j in law.variables}
    try:
        return canonical(from_tree(placed(to_tree(law), left, held)))
    except NoZeroSet:  # as of √(x1 − x2) with a constant x1
        return None


def shares(forms: list[Expression]) -> dict[str, str]:
    """Known constants, and those equal to another, of all that may be so."""
    every, known = Counter(), Counter()
    for form in forms:
        parts, found = [part for part, _ in parts_of(form.codes)], known_numbers(form)
        every.update(parts)
        known.update(part for part, one in zip(parts, found, strict=True) if one)
        fitted, distinct = int((~found).sum()), free_numbers(form).shape[1]
        every["equal"] += max(fitted - 1, 0)
        known["equal"] += fitted - distinct
    return {part: f"{known[part]} of {every[part]}" for part in every}


def prior(laws: list[Expression]) -> dict[str, dict]:
    """What :class:`pie.search.forms.Forms` is made of."""
    of_nodes = counts([*map(canonical, laws)])
    return {"counts": of_nodes, "slices": {str(n): slices(laws, n) for n in (2, 3)}}


@cache
def laws() -> list[Expression]:
    """Those of data/prior."""
    return formulas(FORMULAS)


@cache
def without_half(half: int) -> Forms:
    """The prior of the other half of them: every second one, from ``half`` on, is left out."""
    return Forms(**prior(laws()[1 - half :: 2]))


if __name__ == "__main__":
    print(shares([*map(canonical, laws())]))
    COUNTS.write_text(json.dumps(prior(laws()), indent=0) + "\n")
