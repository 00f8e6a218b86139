"""Time the library against a plain reference path, all in one run on this machine.

    python benchmarks/run.py            # 7 to 16 minutes on two cores
    python benchmarks/run.py --tiny     # seconds: only to see that it runs

Writes ``results.json``, the table ``speed.md`` and the figure ``speed`` (PNG, SVG) into ``--out``.
Runs of other machines stay in results.json. Ours and the reference take turns, and what is written
is the median over the turns. Nothing else should run meanwhile.
"""

import argparse
import json
import os
import platform
import statistics
import sys
import time
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

from llvmlite.binding import get_host_cpu_features
from numba import config

HERE = Path(__file__).resolve().parent
PACKAGES = ("numpy", "scipy", "sympy", "numba", "torch")


def clocked(function, *arguments) -> float:
    """Seconds of one call."""
    began = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - began


def in_turns(ours, reference, turns: int) -> tuple[float, float, list[float]]:
    """Median seconds of each of two callables that take turns, and all of ours."""
    pairs = [(ours(turn), reference(turn)) for turn in range(turns)]
    mine = [pair[0] for pair in pairs]
    return statistics.median(mine), statistics.median(pair[1] for pair in pairs), mine


def item(value: float, unit: str, reference: float, ratio: float, **more) -> dict:
    """One entry of results.json; ``ratio`` above 1 means faster than the reference."""
    return {"value": value, "unit": unit, "reference": reference, "ratio": ratio, **more}


def vectors() -> str:
    """The widest vectors for which this process compiles."""
    features = config.CPU_FEATURES or str(get_host_cpu_features().flatten())
    return "AVX-512" if "+avx512f" in features else "AVX2" if "+avx2" in features else "none"


def machine() -> dict:
    """Processor, cores, vectors and system, as far as they say something about speed."""
    model = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    return {
        "processor": model, "cores": os.cpu_count(), "vectors": vectors(),
        "system": platform.system(),
    }  # fmt: skip


def beside(run: dict, path: Path) -> dict:
    """The contents of ``path`` with a run, in place of an earlier one of the same machine."""
    runs = json.loads(path.read_text())["runs"] if path.exists() else []
    return {"runs": [run, *(old for old in runs if old["machine"] != run["machine"])]}


def searches(root: Path, settings, cores: int, tiny: bool) -> dict:
    """Seconds of whole searches on *wild*, every 19th cloud, as users meet them: one at a time.

    *PIE+* as evaluated, and ``pie.discover`` with its certificates; without noise, and with 1 %.
    """
    from pie.data.benchmarks import load, noisy
    from pie.discovery.laws import discover
    from pie.discovery.pretrained import from_pretrained
    from pie.search.plus import discover_plus

    model = from_pretrained(root / "data/models/pie-plus")
    clouds = load(root / "data/benchmarks", "wild")[:: 370 if tiny else 19]
    config = settings.inference_plus
    if tiny:
        config = replace(config, beam=4, proposers=("relations", "network"))
    ways = {
        "PIE+": lambda points: discover_plus(model, points, config, cores),
        "discover": lambda points: discover(points, config=config, workers=cores),
    }
    found = {}
    for name, search in ways.items():
        search(clouds[0].points)  # compiled code is loaded
        for level in (0.0, 0.01):
            seconds = sorted(clocked(search, noisy(p, level).points) for p in clouds)
            found[f"{name}, {level:.0%} noise"] = {
                "searches": len(seconds), "median": statistics.median(seconds),
                "above_3_s": sum(s > 3.0 for s in seconds), "slowest": seconds[-1],
            }  # fmt: skip
    return found


def measure(root: Path, tiny: bool) -> dict:
    """All items."""
    import numpy as np
    import reference
    from million import make

    from pie.data.corpus import Corpus
    from pie.data.recipe import corpora
    from pie.experiments.settings import load_settings
    from pie.fit.fitness import stochastic_copies
    from pie.fit.sampson_fits import fit_sampson
    from pie.network.inference import Network
    from pie.search.algorithm2 import discover
    from pie.search.plus import discover_plus
    from pie.search.proposers.network import merged, skeletons

    turns = 1 if tiny else 5
    cores = 2 if tiny else os.cpu_count() or 1
    settings = load_settings(root / "params.yaml")
    training, validation = corpora(settings.corpus, root / "data/benchmarks")
    items = {}

    # ---- the corpus ----
    size, plain_size = (40, 1) if tiny else (3000, 40)
    corpus = Corpus(settings.corpus)
    corpus.arrays(0, 40)  # compiled code is loaded

    def plain_corpus(turn):
        rng = np.random.default_rng(turn)
        return clocked(
            lambda: [reference.corpus_item(rng, settings.corpus) for _ in range(plain_size)]
        )

    seconds, plain, all_ours = in_turns(
        lambda turn: clocked(corpus.arrays, turn * size, (turn + 1) * size), plain_corpus, turns
    )
    rate, plain_rate = size / seconds, plain_size / plain
    items["corpus_per_core"] = item(
        rate, "equations with 200 points per second and core", plain_rate, rate / plain_rate,
        lowest=size / max(all_ours), highest=size / min(all_ours),
    )  # fmt: skip
    total = 200 if tiny else 1_000_000
    minutes, memory = make(settings.corpus, total, cores)
    minutes *= 1_000_000 / total
    plain_minutes = 1_000_000 / plain_rate / cores / 60.0
    items["million_minutes"] = item(
        minutes, f"minutes for a million equations on {cores} cores", plain_minutes,
        plain_minutes / minutes, memory_gb=memory, equations_made=total,
    )  # fmt: skip

    # ---- constants: skeletons of the validation corpus on their points ----
    count = 8 if tiny else 600
    pairs, k = [], 50_000
    while len(pairs) < count:
        drawn = validation[k]
        k += 1
        if 1 <= len(drawn.target.constants) <= 3:
            pairs.append((drawn.target.with_constants([1.0] * len(drawn.target.constants)),
                          drawn.points))  # fmt: skip

    def fits(workers):
        return [fit_sampson([s], points, workers=workers)[0] for s, points in pairs]

    def plain_fits(_):
        return clocked(lambda: [reference.fit_sampson(s, points) for s, points in pairs])

    found = fits(1)
    seconds, plain, all_ours = in_turns(lambda _: clocked(fits, 1), plain_fits, turns)
    spreads = [np.sqrt(np.mean(points.var(axis=0))) for _, points in pairs]
    exact = np.mean([f.error < 1e-6 * s for f, s in zip(found, spreads, strict=True)])
    plain_errors = [reference.fit_sampson(*pair) for pair in pairs]
    plain_exact = np.mean([e < 1e-6 * s for e, s in zip(plain_errors, spreads, strict=True)])
    rate, plain_rate = count / seconds, count / plain
    items["fits_per_core"] = item(
        rate, "skeletons with 1 to 3 constants fitted per second and core", plain_rate,
        rate / plain_rate, recovered=float(exact), reference_recovered=float(plain_exact),
        lowest=count / max(all_ours), highest=count / min(all_ours),
    )  # fmt: skip

    # ---- inference ----
    model = Network.load(root / "data/models/pie")
    clouds = [validation[k].points for k in range(60_000, 60_000 + (1 if tiny else 20))]
    paper = settings.inference
    # a wide beam and Sampson fits
    plus = replace(settings.inference_plus, beam=256)
    discover(model, clouds[0], config=paper), discover_plus(model, clouds[0], plus, cores)

    def plain_pie(points):
        hypotheses = merged(skeletons(model, points, paper.beam))
        copies = stochastic_copies(points, np.random.default_rng(0))
        for skeleton, _ in hypotheses[: 2 if tiny else None]:
            reference.fit_bfgs(skeleton, points, copies, paper.tau)

    def plain_plus(points):
        for skeleton, _ in merged(skeletons(model, points, plus.beam))[: 2 if tiny else None]:
            reference.fit_sampson(skeleton, points)

    few = clouds[: 1 if tiny else 4]
    for name, ours, plain_path in (
        ("pie_seconds", lambda p: discover(model, p, config=paper), plain_pie),
        ("pie_plus_seconds", lambda p: discover_plus(model, p, plus, cores), plain_plus),
    ):
        mine = [clocked(ours, points) for points in clouds]
        plain = statistics.median(clocked(plain_path, points) for points in few)
        seconds = statistics.median(mine)
        items[name] = item(
            seconds, f"seconds per equation on {cores} cores", plain, plain / seconds,
            slowest=max(mine),
        )  # fmt: skip

    # ---- the second core: the same work by one worker and by two ----
    share = 400 if tiny else 30_000
    alone, together, _ = in_turns(
        lambda _: make(settings.corpus, share, 1)[0],
        lambda _: make(settings.corpus, share, 2)[0],
        turns,
    )
    batch = [s for s, _ in pairs] * (1 if tiny else 4)
    points = np.resize(pairs[0][1], (200, 3))
    points = points + np.random.default_rng(0).standard_normal(points.shape)  # nothing fits
    one, two, _ = in_turns(
        lambda _: clocked(lambda: fit_sampson(batch, points, workers=1)),
        lambda _: clocked(lambda: fit_sampson(batch, points, workers=2)),
        turns,
    )
    items["second_core"] = item(
        min(alone / together, one / two), "times the throughput of one core", 1.0,
        min(alone / together, one / two), corpus=alone / together, fits=one / two,
    )  # fmt: skip
    return {
        "machine": machine(), "items": items, "searches": searches(root, settings, cores, tiny),
        "versions": {"python": platform.python_version()} | {p: version(p) for p in PACKAGES},
    }  # fmt: skip


def main() -> None:
    """Measure, write, draw."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tiny", action="store_true", help="smallest sizes, numbers mean nothing")
    parser.add_argument("--out", type=Path, default=HERE)
    options = parser.parse_args()
    sys.path.insert(0, str(HERE))
    from figure import speed, table

    from pie.report import figures

    results = measure(HERE.parent, options.tiny)
    options.out.mkdir(parents=True, exist_ok=True)
    every = beside(results, options.out / "results.json")
    for name, text in (
        ("results.json", json.dumps(every, indent=2) + "\n"),
        ("speed.md", table(every["runs"])),
    ):
        partial = options.out / f"{name}.tmp"
        partial.write_text(text)
        partial.replace(options.out / name)
    figures.save(speed(every["runs"]), options.out / "speed")
    print(table([results]))


if __name__ == "__main__":
    main()
