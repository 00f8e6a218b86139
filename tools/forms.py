"""The prior on forms of src/pie/search/forms.json, from data/prior/formulas.csv.

    python tools/forms.py

It prints how often constants of these formulas are known, by the part that they play, and how many
of those that could have the magnitude of an earlier one do (:mod:`pie.expr.known_numbers`).
"""

import json
from collections import Counter
from pathlib import Path

from pie.data.benchmarks import read_rows
from pie.expr.canonical import canonical
from pie.expr.expression import Expression, parse, to_tree
from pie.expr.known_numbers import free_numbers, known_numbers, parts_of
from pie.search.forms import COUNTS, nodes
from pie.search.shapes import name_of

FORMULAS = Path(__file__).resolve().parent.parent / "data/prior/formulas.csv"


def formulas(path: Path) -> list[Expression]:
    """The formulas of a CSV, in canonical form."""
    return [canonical(parse(row["equation"])) for row in read_rows(path)]


def counts(forms: list[Expression]) -> dict[str, dict[str, int]]:
    """How often each node stands in each context, and in the shorter ones."""
    found: dict[str, Counter] = {}
    for form in forms:
        for node, context in nodes(to_tree(form)):
            for length in range(len(context) + 1):
                found.setdefault("|".join(context[:length]), Counter())[node] += 1
    return _sorted(found)


def named(forms: list[Expression]) -> dict[str, dict[str, int]]:
    """How many formulas of each number of columns have which name; of those that have none, too."""
    found: dict[str, Counter] = {}
    for form in forms:
        found.setdefault(str(len(form.variables)), Counter())[name_of(form)] += 1
    return _sorted(found)


def _sorted(found: dict[str, Counter]) -> dict[str, dict[str, int]]:
    return {key: dict(sorted(seen.items())) for key, seen in sorted(found.items())}


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


if __name__ == "__main__":
    found = formulas(FORMULAS)
    print(shares(found))
    both = {"counts": counts(found), "named": named(found)}
    COUNTS.write_text(json.dumps(both, indent=0) + "\n")
