"""The prior on forms of src/pie/search/forms.json, from data/prior/formulas.csv.

    python tools/forms.py
"""

import csv
import json
from pathlib import Path

from pie.expr.canonical import canonical
from pie.expr.expression import parse
from pie.search.forms import COUNTS, Forms

FORMULAS = Path(__file__).resolve().parent.parent / "data/prior/formulas.csv"


def fitted(path: Path) -> Forms:
    """The prior of the formulas of a CSV."""
    with open(path, newline="") as file:
        return Forms.of(canonical(parse(row["equation"])) for row in csv.DictReader(file))


if __name__ == "__main__":
    COUNTS.write_text(json.dumps(fitted(FORMULAS).counts, indent=0) + "\n")
