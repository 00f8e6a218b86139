"""The measured speed, drawn and as a table."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from pie.report.drawing import METHODS, STYLE, WIDTH

_SPEED = {
    "corpus_per_core": "equations with 200 points,\nper second and core",
    "million_minutes": "minutes for a million equations",
    "fits_per_core": "skeletons fitted,\nper second and core",
    "pie_seconds": "PIE, seconds per equation",
    "pie_plus_seconds": "PIE+, seconds per equation",
}


def called(run: dict) -> str:
    """The machine of a run in words."""
    where = run["machine"]
    return f"{where['processor']}, {where['cores']} cores, {where['vectors']}"


def speed(runs: list[dict]) -> Figure:
    """The runs of ``benchmarks/results.json``, each beside its reference path, log scale."""
    plt.style.use(STYLE)
    figure, axes = plt.subplots(figsize=(WIDTH, 2.0 + 0.7 * len(runs)))
    ours = {"color": METHODS["PIE"][0], "linestyle": "none"}
    plain = {"color": "0.4", "markerfacecolor": "white", "linestyle": "none"}
    style = {"xytext": (0, 2), "textcoords": "offset points", "ha": "center", "fontsize": 6}
    for k, run in enumerate(runs):
        marker = "oD^v"[k % 4]
        for place, name in enumerate(_SPEED):
            entry = run["items"][name]
            height = place + 0.7 * ((k + 0.5) / len(runs) - 0.5)
            ends = sorted((entry["value"], entry["reference"]))
            axes.plot(ends, [height, height], color="0.75", zorder=1)
            axes.plot(entry["value"], height, marker, zorder=2, **ours)
            axes.plot(entry["reference"], height, "s", zorder=2, **plain)
            middle = np.sqrt(entry["value"] * entry["reference"])
            axes.annotate(f"{entry['ratio']:.0f}×", (middle, height), **style)
        axes.plot([], [], marker, label=f"this library, {called(run)}", **ours)
    axes.plot([], [], "s", label="SymPy and SciPy, plainly, on the same machine", **plain)
    axes.set_xscale("log")
    axes.set_yticks(range(len(_SPEED)), _SPEED.values())
    axes.invert_yaxis()
    axes.margins(y=0.1)
    figure.legend(loc="outside upper center", fontsize=6)
    return figure


def table(runs: list[dict]) -> str:
    """The runs of ``benchmarks/results.json`` as Markdown, a column for each machine.

    Of the engine: values, in brackets how many times as fast as the reference path; of whole
    searches: median and slowest seconds.
    """

    def cells(run: dict) -> dict[str, str]:
        entries = {title.replace("\n", " "): run["items"][name] for name, title in _SPEED.items()}
        engine = {
            title: f"{entry['value']:,.{0 if entry['value'] > 100 else 2}f} ({entry['ratio']:.0f}×)"
            for title, entry in entries.items()
        }
        engine["throughput of two cores, of one"] = f"{run['items']['second_core']['value']:.2f}"
        whole = {
            f"a search of {name}: median, slowest s": f"{of['median']:.2f}, {of['slowest']:.2f}"
            for name, of in run["searches"].items()
        }
        return engine | whole

    return pd.DataFrame({called(run): cells(run) for run in runs}).to_markdown() + "\n"
