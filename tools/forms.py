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
from pie.expr.expression import Expression, parse
from pie.expr.known_numbers import free_numbers, known_numbers, parts_of
from pie.search.forms import COUNTS, Forms

FORMULAS = Path(__file__).resolve().parent.parent / "data/prior/formulas.csv"


def formulas(path: Path) -> list[Expression]:
    """The formulas of a CSV, in canonical form."""
    return [canonical(parse(row["equation"])) for row in read_rows(path)]


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
    COUNTS.write_text(json.dumps(Forms.of(found).counts, indent=0) + "\n")
