"""The prior on forms of src/pie/search/forms.json, from data/prior/formulas.csv.

python tools/forms.py
"""

import csv
import json
from pathlib import Path

from pie.expr.canonical import canonical
from pie.expr.expression import Expression, parse
from pie.search.forms import COUNTS, Forms

FORMULAS = Path(__file__).resolve().parent.parent / "data/prior/formulas.csv"


def formulas(path: Path) -> list[Expression]:
    """The formulas of a CSV, in canonical form."""
    with open(path, newline="") as file:
        return [canonical(parse(row["equation"])) for row in csv.DictReader(file)]


if __name__ == "__main__":
    COUNTS.write_text(json.dumps(Forms.of(formulas(FORMULAS)).counts, indent=0) + "\n")
