"""The measured speed, drawn."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from pie.report.drawing import METHODS, WIDTH

_SPEED = {
    "corpus_per_core": "equations with 200 points,\nper second and core",
    "million_minutes": "minutes for a million equations",
    "fits_per_core": "skeletons fitted,\nper second and core",
    "pie_seconds": "PIE, seconds per equation",
    "pie_plus_seconds": "PIE+, seconds per equation",
}


def speed(results: dict) -> Figure:
    """A run of ``benchmarks/results.json`` beside the reference path, log scale."""
    figure, axes = plt.subplots(figsize=(WIDTH, 2.6))
    ours, plain = {"color": METHODS["PIE"][0]}, {"color": "0.4", "markerfacecolor": "white"}
    for place, name in enumerate(_SPEED):
        entry = results["items"][name]
        ends = sorted((entry["value"], entry["reference"]))
        axes.plot(ends, [place, place], color="0.75", zorder=1)
        axes.plot(entry["value"], place, "o", zorder=2, **ours)
        axes.plot(entry["reference"], place, "s", zorder=2, **plain)
        middle = np.sqrt(entry["value"] * entry["reference"])
        style = {"xytext": (0, 3), "textcoords": "offset points", "ha": "center", "fontsize": 7}
        axes.annotate(f"{entry['ratio']:.0f}×", (middle, place), **style)
    axes.plot([], [], "o", label="this library", **ours)
    axes.plot([], [], "s", label="SymPy and SciPy, plainly", **plain)
    axes.set_xscale("log")
    axes.set_yticks(range(len(_SPEED)), _SPEED.values())
    axes.invert_yaxis()
    axes.margins(y=0.15)
    axes.legend(loc="lower right")
    where = results["machine"]
    title = f"{where['processor']}, {where['cores']} cores, {where['vectors']}"
    axes.set_title(title, fontsize=6, color="0.4")
    return figure
