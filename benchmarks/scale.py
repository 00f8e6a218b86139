"""What a corpus costs by equations and workers, and training by the size of the network.

    python benchmarks/scale.py         # about four minutes on two cores; nothing else should run
    python benchmarks/scale.py --draw  # the figure of what was measured before
    python benchmarks/scale.py --tiny  # seconds: only to see that it runs

Networks are those of params.yaml, twice and half as wide, and the paper's (configs/paper.yaml), in
batches of 128, each in a process of its own. Writes ``scale.json`` and the figure ``scale`` (PNG,
SVG) into ``--out``.
"""

import argparse
import itertools
import json
import statistics
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
EQUATIONS = (1000, 4000, 16_000, 64_000)
WORKERS = (1, 2)
NETWORKS = ("half", "pie", "double", "paper")
STEPS, BATCH, EXAMPLES = 5, 128, 2048


def corpora(tiny: bool) -> list[dict]:
    """Seconds and memory of making corpora in several processes, start-up not counted."""
    from million import make

    from pie.experiments.settings import load_settings

    config = load_settings(ROOT / "params.yaml").corpus
    found = []
    for workers in WORKERS[:1] if tiny else WORKERS:
        for equations in (100,) if tiny else EQUATIONS:
            minutes, memory = make(config, equations, workers)
            one = {"workers": workers, "equations": equations}
            found.append(one | {"seconds": 60.0 * minutes, "gigabytes": memory})
    return found


def trained(network: str, steps: int) -> dict:
    """Examples per second and memory of training a network, beside a matrix product."""
    from million import peak_memory

    from pie.data.corpus import Corpus
    from pie.experiments.settings import load_settings
    from pie.network.config import ModelConfig
    from pie.network.model import PIE
    from pie.params import read_yaml, record

    settings = load_settings(ROOT / "params.yaml")
    config = settings.model
    if network == "paper":
        sections = read_yaml(ROOT / "configs/paper.yaml")
        config = record(ModelConfig, sections["model"], "model")
    elif network != "pie":
        factor = 2.0 if network == "double" else 0.5
        names = ("width", "heads", "encoder_feed_forward", "decoder_feed_forward")
        config = replace(config, **{name: int(factor * getattr(config, name)) for name in names})
    model = PIE(config).train()
    speed = training_speed(model, settings.pretraining, Corpus(settings.corpus), steps)
    return {
        "network": network, "parameters": sum(p.numel() for p in model.parameters()),
        **speed, "gigabytes": peak_memory() / 2**20,
    }  # fmt: skip


def training_speed(model, config, corpus, steps: int) -> dict:
    """Median speed of training steps on the CPU, beside that of a matrix product.

    Operations as torch counts them; both in the precision of the training ``config``.
    """
    import torch
    from run import clocked
    from torch.utils.flop_counter import FlopCounterMode

    from pie.network.objective import has_bfloat16, loss_of
    from pie.network.optimizers import optimizers_of
    from pie.network.streaming import Shards, batches

    bfloat16 = config.bfloat16 and has_bfloat16("cpu")
    optimizers = optimizers_of(model, config)
    source = batches(Shards(corpus, EXAMPLES, config.seed), BATCH)
    pool = [[torch.from_numpy(a) for a in next(source)] for _ in range(4)]
    turn = itertools.cycle(pool)

    def step() -> None:
        points, tokens = next(turn)
        losses, _ = loss_of(model, points.float(), tokens, bfloat16)
        model.zero_grad(set_to_none=True)
        losses.mean().backward()
        for optimizer in optimizers:
            optimizer.step()

    operations = 0
    for _ in pool:
        with FlopCounterMode(display=False) as counter:
            step()
        operations += counter.get_total_flops() / len(pool)
    dtype = torch.bfloat16 if bfloat16 else torch.float32
    a, b = torch.randn(2048, 2048, dtype=dtype), torch.randn(2048, 2048, dtype=dtype)
    a @ b  # the first one takes longer
    product = 2 * 2048**3 / statistics.median(clocked(torch.matmul, a, b) for _ in range(10))
    taken = statistics.median(clocked(step) for _ in range(steps))
    return {
        "examples_per_second": BATCH / taken,
        "share_of_matmul": operations / taken / product,
    }


def draw(results: dict):
    """The corpus on the left, training on the right: time above, memory below."""
    import matplotlib.pyplot as plt
    from matplotlib.ticker import NullLocator, ScalarFormatter

    from pie.report.drawing import STYLE, WIDTH

    plt.style.use(STYLE)
    figure, axes = plt.subplots(2, 2, figsize=(WIDTH, 3.6), sharex="col")
    for workers, marker in zip(WORKERS, "os", strict=True):
        found = [one for one in results["corpus"] if one["workers"] == workers]
        label = f"{workers} worker{'s' * (workers > 1)}"
        for place, quantity in ((axes[0, 0], "seconds"), (axes[1, 0], "gigabytes")):
            place.plot(
                [one["equations"] for one in found], [one[quantity] for one in found],
                f"{marker}-", label=label,
            )  # fmt: skip
    ours = [one for one in results["training"] if one["network"] != "paper"]
    theirs = [one for one in results["training"] if one["network"] == "paper"]
    for found, marker, label in ((ours, "o-", "ours"), (theirs, "s", "the paper's")):
        sizes = [one["parameters"] / 1e6 for one in found]
        for place, quantity in ((axes[0, 1], "examples_per_second"), (axes[1, 1], "gigabytes")):
            place.plot(sizes, [one[quantity] for one in found], marker, label=label)
    for place in axes.flat:
        place.set_xscale("log")
    axes[0, 0].set_yscale("log")
    axes[0, 1].set_yscale("log")
    axes[0, 0].set_ylabel("corpus, seconds")
    axes[1, 0].set_ylabel("memory, GB")
    axes[0, 1].set_ylabel("training,\nexamples per second")
    axes[1, 0].set_xlabel("equations with 200 points")
    axes[1, 1].set_xlabel("parameters, millions")
    for place in axes[1]:
        place.set_ylim(bottom=0.0)
    axes[0, 0].legend()
    axes[0, 1].legend()
    axes[0, 1].set_yticks([20, 50, 100, 200, 400])
    axes[1, 1].set_xticks([2, 5, 10, 20, 40])
    for axis in (axes[0, 1].yaxis, axes[1, 1].xaxis):
        axis.set_major_formatter(ScalarFormatter())
        axis.set_minor_locator(NullLocator())
    of = results["machine"]
    title = f"{of['processor']}, {of['cores']} cores, {of['vectors']}"
    figure.suptitle(title, fontsize=6, color="0.4")
    return figure


def main() -> None:
    """Measure, write, draw."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tiny", action="store_true", help="smallest sizes, numbers mean nothing")
    parser.add_argument("--draw", action="store_true", help="only the figure")
    parser.add_argument("--out", type=Path, default=HERE)
    parser.add_argument("--one", help="a network; prints what was measured")
    options = parser.parse_args()
    sys.path.insert(0, str(HERE))
    if options.one:
        print(json.dumps(trained(options.one, 1 if options.tiny else STEPS)))
        return
    from run import machine

    from pie.report import figures

    options.out.mkdir(parents=True, exist_ok=True)
    path = options.out / "scale.json"
    if not options.draw:
        found = {"machine": machine(), "corpus": corpora(options.tiny), "training": []}
        for network in NETWORKS[:1] if options.tiny else NETWORKS:
            command = [sys.executable, __file__, "--one", network, *["--tiny"] * options.tiny]
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
            found["training"].append(json.loads(done.stdout))
            print(done.stdout.strip(), flush=True)
        partial = path.with_suffix(".tmp")
        partial.write_text(json.dumps(found, indent=1) + "\n")
        partial.replace(path)
    figures.save(draw(json.loads(path.read_text())), options.out / "scale")


if __name__ == "__main__":
    main()
