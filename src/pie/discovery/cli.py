"""``pie discover data.csv``: laws that a table obeys, from the command line.

Ends with 0 where a law was found, 1 where none was, 2 where the table cannot be used.
"""

import argparse
import io
import json
import math
import sys
from pathlib import Path

from .laws import discover
from .measurements import MAX_POINTS, BadTable, read_csv
from .result import Law, Result

FOUND, NOTHING, UNUSABLE = 0, 1, 2


def _number(value: float) -> float | None:
    """JSON has no infinite numbers."""
    return value if math.isfinite(value) else None


def _record(law: Law) -> dict:
    certificate = law.certificate
    return {
        "equation": str(law.expression),
        "template": str(law.template),
        "latex": law.latex,
        "constants": {
            name: {"value": value, "standard_error": _number(error)}
            for name, (value, error) in law.constants.items()
        },
        "rms": _number(law.rms),
        "relative_rms": _number(law.relative_rms),
        "chi": None if law.chi is None else _number(law.chi),
        "complexity": law.complexity,
        "law": certificate.law,
        "reason": certificate.reason,
        "held_out_contrast": _number(certificate.contrast),
        "p": certificate.p,
        "covered": certificate.covered,
        "factors": [{"equation": str(f), "share": share} for f, share in law.factors],
    }


def _uncertainties(given: list[str]) -> dict[str, str] | None:
    for text in given:
        if "=" not in text:
            raise BadTable(f"uncertainty {text!r}; expected COLUMN=VALUE")
    pairs = (text.rpartition("=") for text in given)
    return {name.strip(): value for name, _, value in pairs} or None


def as_json(result: Result) -> str:
    """A result as one JSON object."""
    content = {
        "law": result.law,
        "best": _record(result.best) if result.best else None,
        "candidates": [_record(law) for law in result.candidates],
        "columns": list(result.names),
        "notes": list(result.notes),
        "points": result.points,
        "seconds": round(result.seconds, 3),
    }
    return json.dumps(content, indent=2, ensure_ascii=False)


def main(arguments: list[str] | None = None) -> int:
    """Find implicit equations in tables of measurements."""
    parser = argparse.ArgumentParser(prog="pie", description=main.__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    find = commands.add_parser("discover", help="laws that the rows of a CSV file obey")
    find.add_argument("file", type=Path)
    find.add_argument("--columns", help="comma-separated names; default: all that vary")
    find.add_argument("--missing", choices=("error", "drop"), default="error")
    find.add_argument("--max-points", type=int, default=MAX_POINTS)
    find.add_argument("--weights", type=Path, help="folder of a network; default: the released one")
    find.add_argument(
        "--uncertainty", action="append", default=[], metavar="COLUMN=VALUE",
        help="standard deviation of a column's errors, in its units; 0 = exact; for every column",
    )  # fmt: skip
    find.add_argument("--max-sets", type=int, default=20, help="sets of columns searched at most")
    find.add_argument("--seconds", type=float, default=600.0, help="begin no other set after these")
    find.add_argument("--seed", type=int, default=0)
    find.add_argument("--json", action="store_true", help="everything, as one JSON object")
    find.add_argument("--all", action="store_true", help="all candidates, not only the law")
    options = parser.parse_args(arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):  # whatever the terminal can show
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        frame = read_csv(options.file)
        if options.columns:
            wanted = [name.strip() for name in options.columns.split(",")]
            for name in wanted:
                if name not in frame.columns:
                    known = ", ".join(frame.columns)
                    raise BadTable(f"there is no column {name!r}; known are {known}")
            frame = frame[wanted]
        result = discover(
            frame, options.weights, options.missing, options.max_points, seed=options.seed,
            max_sets=options.max_sets, seconds=options.seconds,
            uncertainties=_uncertainties(options.uncertainty),
        )  # fmt: skip
    except (ValueError, FileNotFoundError) as error:
        print(f"error: {error}", file=sys.stderr)
        return UNUSABLE
    print(as_json(result) if options.json else result)
    if options.all and not options.json:
        print(result.table().to_string(index=False))
    return FOUND if result.law else NOTHING


if __name__ == "__main__":
    sys.exit(main())
