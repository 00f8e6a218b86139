"""Seconds and memory of ``pie.discover`` against rows, columns, noise, beam and threads.

    python benchmarks/size.py         # about five minutes on two cores; nothing else should run
    python benchmarks/size.py --draw  # the figure of what was measured before
    python benchmarks/size.py --tiny  # one search, only to see that it runs

The law is y = 2·exp(−0.7·x) + 0.3 in two of the columns, the others are random. Each search is the
second of a process of its own, so that nothing is compiled. Writes ``size.json`` and the figure
``size`` (PNG, SVG) into ``--out``.
"""

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
USUAL = {"rows": 200, "columns": 2, "noise": 0.01, "beam": 64, "threads": 2}
VALUES = {
    "rows": [20, 50, 200, 1000, 10_000, 100_000, 1_000_000],
    "columns": [2, 3, 4, 6, 8, 20, 50],
    "noise": [0.0, 0.001, 0.01, 0.05, 0.2],
    "beam": [1, 4, 16, 64, 256],
    "threads": [1, 2],
}
UNITS = {"noise": "in spreads"}


def table(rows: int, columns: int, noise: float):
    """Numbers (N, D); the law is in the first two columns."""
    import numpy as np

    rng = np.random.default_rng(0)
    x = rng.uniform(0.0, 5.0, rows)
    law = np.column_stack([x, 2.0 * np.exp(-0.7 * x) + 0.3])
    law += noise * law.std(axis=0) * rng.standard_normal(law.shape)
    return np.column_stack([law, rng.standard_normal((rows, columns - 2))])


def one(setting: dict) -> dict:
    """Seconds of the second search, and the peak memory of the process in GB."""
    from dataclasses import replace

    import pie
    from million import peak_memory

    from pie.search.plus import PlusConfig

    config = replace(PlusConfig(), beam=setting["beam"])

    def search(rows):
        points = table(rows, setting["columns"], setting["noise"])
        began = time.perf_counter()
        found = pie.discover(points, config=config, workers=setting["threads"])
        return time.perf_counter() - began, found

    search(min(setting["rows"], 100))
    seconds, found = search(setting["rows"])
    return {"seconds": seconds, "gigabytes": peak_memory() / 2**20, "law": repr(found.best)}


def draw(measured: list[dict], machine: dict):
    """Seconds in the upper row, memory in the lower one."""
    import matplotlib.pyplot as plt
    from matplotlib.ticker import NullLocator, ScalarFormatter

    from pie.report.drawing import STYLE, WIDTH

    shown = [name for name in VALUES if name != "threads"]
    plt.style.use(STYLE)
    figure, axes = plt.subplots(2, len(shown), figsize=(WIDTH, 3.2), sharey="row", sharex="col")
    for name, (above, below) in zip(shown, axes.T, strict=True):
        found = [m for m in measured if m["varied"] == name]
        for place, quantity in ((above, "seconds"), (below, "gigabytes")):
            place.plot([m[name] for m in found], [m[quantity] for m in found], "o-")
        if name == "noise":
            below.set_xscale("symlog", linthresh=1e-3)
        else:
            below.set_xscale("log")
        if name == "columns":
            below.set_xticks([2, 4, 8, 20, 50])
            below.xaxis.set_major_formatter(ScalarFormatter())
        below.xaxis.set_minor_locator(NullLocator())
        below.set_xlabel(f"{name}\n{UNITS[name]}" if name in UNITS else name)
    axes[0, 0].set_yscale("log")
    axes[0, 0].set_ylabel("seconds")
    axes[1, 0].set_ylabel("memory, GB")
    axes[1, 0].set_ylim(bottom=0.0)
    figure.suptitle(
        f"{machine['processor']}, {machine['cores']} cores, {machine['vectors']}",
        fontsize=6,
        color="0.4",
    )
    return figure


def main() -> None:
    """Measure, write, draw."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tiny", action="store_true", help="one search")
    parser.add_argument("--draw", action="store_true", help="only the figure")
    parser.add_argument("--out", type=Path, default=HERE)
    parser.add_argument("--one", help="a setting as JSON; prints what was measured")
    options = parser.parse_args()
    sys.path.insert(0, str(HERE))
    if options.one:
        print(json.dumps(one(json.loads(options.one))))
        return
    from run import machine

    from pie.report import figures

    if options.draw:
        found = json.loads((options.out / "size.json").read_text())
        figures.save(draw(found["measured"], found["machine"]), options.out / "size")
        return
    settings = [(name, USUAL | {name: v}) for name, values in VALUES.items() for v in values]
    measured = []
    for varied, setting in settings[:1] if options.tiny else settings:
        command = [sys.executable, __file__, "--one", json.dumps(setting)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        measured.append({"varied": varied} | setting | json.loads(done.stdout))
        print(varied, setting[varied], f"{measured[-1]['seconds']:.2f} s", flush=True)
    options.out.mkdir(parents=True, exist_ok=True)
    partial = options.out / "size.json.tmp"
    partial.write_text(json.dumps({"machine": machine(), "measured": measured}, indent=1) + "\n")
    partial.replace(options.out / "size.json")
    figures.save(draw(measured, machine()), options.out / "size")


if __name__ == "__main__":
    main()
