"""``pie discover data.csv``: laws that a table obeys, from the command line.

``discover`` ends with 0 where a law was found, 1 where none was, 2 where the table cannot be used
or the answer cannot be written.
``pie warm-up`` compiles everything ahead of the first search.
"""

import argparse
import csv
import io
import os
import sys
import time
from pathlib import Path

from .. import __version__
from .compilation import compile_all
from .laws import discover
from .headers import among
from .measurements import MAX_POINTS, BadTable, read_csv

FOUND, NOTHING, UNUSABLE = 0, 1, 2


def _of_columns(given: list[str], what: str) -> dict[str, str] | None:
    """Values by column; None if none are given."""
    found = {}
    for text in given:
        name, equals, value = text.rpartition("=")
        if not equals:
            raise BadTable(f"{what} {text!r}; expected COLUMN=VALUE")
        found[name.strip()] = value
    return found or None


def _listed(given: str | None, what: str) -> list[str]:
    """Names that commas separate, as in a line of a CSV file: one with a comma is quoted."""
    cells = next(csv.reader([given or ""], skipinitialspace=True), [])
    names = [name.strip() for name in cells if name.strip()]
    if given is not None and not names:
        raise BadTable(f"{what} is {given!r}; expected names with commas between")
    return names


def main(arguments: list[str] | None = None) -> int:
    """Find implicit equations in tables of measurements."""
    parser = argparse.ArgumentParser(prog="pie", description=main.__doc__)
    parser.add_argument("--version", action="version", version=f"pie {__version__}")
    commands = parser.add_subparsers(dest="command", required=True)
    find = commands.add_parser("discover", help="laws that the rows of a CSV file obey")
    commands.add_parser("warm-up", help="compile everything; once per installation")
    find.add_argument("file", type=Path, help="- for standard input")
    find.add_argument("--columns", help="comma-separated names; default: all that vary")
    find.add_argument("--involving", help="comma-separated columns that every law is to hold")
    find.add_argument(
        "--operators", help="of a law beside + - *, comma-separated: / ^ sqrt exp ln sin cos"
    )
    find.add_argument("--missing", choices=("error", "drop"), default="error")
    find.add_argument("--max-points", type=int, default=MAX_POINTS)
    find.add_argument("--weights", type=Path, help="folder of a network; default: the released one")
    find.add_argument(
        "--uncertainty", action="append", default=[], metavar="COLUMN=VALUE",
        help="standard deviation of a column's errors, in its units; 0 = exact; for every column",
    )  # fmt: skip
    find.add_argument(
        "--unit", action="append", default=[], metavar="COLUMN=UNIT",
        help="of a column, such as kPa or m/s^2; 1 = none; for every column",
    )  # fmt: skip
    find.add_argument(
        "--max-sets", type=int, default=20, help="sets of columns searched, beside the table"
    )
    find.add_argument("--seconds", type=float, default=600.0, help="end the search after these")
    find.add_argument("--seed", type=int, default=0)
    find.add_argument("--json", action="store_true", help="everything, as one JSON object")
    find.add_argument("--all", action="store_true", help="all candidates, not only the law")
    options = parser.parse_args(arguments)
    if options.command == "warm-up":
        began = time.perf_counter()
        compile_all()
        print(f"ready after {time.perf_counter() - began:.0f} s")
        return FOUND
    if isinstance(sys.stdout, io.TextIOWrapper):  # whatever the terminal can show
        encoding = {"encoding": "utf-8"} if options.json else {}  # which JSON is
        sys.stdout.reconfigure(errors="backslashreplace", **encoding)
    try:
        frame = read_csv(options.file)
        asked = _listed(options.columns, "--columns")
        if wanted := [among(name, [*frame.columns]) for name in asked]:
            for name in wanted:
                if name not in frame.columns:
                    known = ", ".join(frame.columns)
                    raise BadTable(f"there is no column {name!r}; known are {known}")
            frame = frame[wanted]
        result = discover(
            frame, options.weights, options.missing, options.max_points, seed=options.seed,
            max_sets=options.max_sets, seconds=options.seconds,
            uncertainties=_of_columns(options.uncertainty, "uncertainty"),
            units=_of_columns(options.unit, "unit"),
            involving=_listed(options.involving, "--involving"),
            operators=_listed(options.operators, "--operators"),
        )  # fmt: skip
    except (ValueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return UNUSABLE
    except KeyboardInterrupt:
        print("error: interrupted before anything was found", file=sys.stderr)
        return UNUSABLE
    try:
        print(result.to_json() if options.json else result, flush=True)
        if options.all and not options.json:
            print(result.table().to_string(index=False), flush=True)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):  # else whoever reads has seen enough
            print(f"error: cannot write the answer: {error}", file=sys.stderr)
            return UNUSABLE
    return FOUND if result.law else NOTHING
