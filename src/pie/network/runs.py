"""The project's networks, each from its sections of params.yaml, and the command that trains one.

Beside finished weights, ``training.json`` records the settings of their training.
"""

import argparse
import contextlib
import json
import math
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path

import torch

from ..data.corpus import SHARD_SIZE, CorpusConfig
from ..data.recipe import corpora
from ..files import whole
from ..params import read_yaml, record
from .distributed import Group
from .model import ModelConfig
from .pretraining import identity, pretrain
from .schedule import TrainingConfig

# sections of params.yaml, and folder of the weights
RUNS = {
    "pie": ("corpus", "model", "pretraining", "data/models/pie"),
    "plus": ("corpus_plus", "model_plus", "pretraining_plus", "data/models/pie-plus"),
    "small": ("corpus", "model_small", "pretraining_small", "data/models/pie-small"),
}
STORED = ("corpus", "model", "training")  # sections of training.json
Configs = tuple[CorpusConfig, ModelConfig, TrainingConfig]


def configs(run: str, params: Path) -> Configs:
    """Settings of corpus, network and training; ValueError for an unknown run or bad parameters."""
    if run not in RUNS:
        raise ValueError(f"unknown run {run!r}; known are {', '.join(RUNS)}")
    return _records(read_yaml(params), RUNS[run][:3], str(params))


def _records(sections: dict, names: Sequence[str], where: str) -> Configs:
    """The records of three sections; ValueError if one is missing in ``where`` or bad."""
    for name in names:
        if name not in sections:
            raise ValueError(f"{where} lacks the section {name!r}")
    kinds = (CorpusConfig, ModelConfig, TrainingConfig)
    return tuple(record(k, sections[name], name) for k, name in zip(kinds, names, strict=True))


def is_finished(weights: Path, settings: Configs) -> bool:
    """Whether ``weights`` holds the result of a finished training with these settings."""
    path = Path(weights) / "training.json"
    if not path.exists():
        return False
    said = json.loads(path.read_text())  # a setting that came later had its default
    return _records(said, STORED, str(path)) == settings


def train(runs: Iterable[str], root: Path) -> None:
    """Train those of the named runs (:data:`RUNS`) that are not finished; resumable.

    ``root`` is the folder with params.yaml and data/; states and corpus are kept in its build/.
    """
    for run in runs:
        stream = ["--stream"] * (run == "plus")  # each item is seen once: no cache
        with contextlib.chdir(root):
            if not is_finished(Path(RUNS[run][3]), configs(run, Path("params.yaml"))):
                _run(_parser().parse_args(["--run", run, "--progress", *stream]))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m pie.network.pretraining", description=main.__doc__
    )
    parser.add_argument("--params", type=Path, default=Path("params.yaml"))
    parser.add_argument("--run", choices=RUNS, default="pie", help="which sections and folder")
    parser.add_argument("--plus", action="store_const", const="plus", dest="run", help="--run plus")
    parser.add_argument("--benchmarks", type=Path, default=Path("data/benchmarks"))
    parser.add_argument("--weights", type=Path, help="default: data/models/pie, pie-plus or …")
    parser.add_argument("--state", type=Path, default=Path("build/pretraining"))
    parser.add_argument("--cache", type=Path, default=Path("build/corpus"))
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--seconds", type=float, default=math.inf, help="save and stop after these")
    parser.add_argument("--workers", type=int, help="for the corpus; default: all cores, shared")
    parser.add_argument("--progress", action="store_true", help="shown without a terminal, too")
    parser.add_argument("--stream", action="store_true", help="make shards on the way, no cache")
    parser.add_argument("--corpus-only", action="store_true", help="fill the cache and stop")
    parser.add_argument("--part", default="1/1", help="which share of the cache to fill, as in 2/8")
    return parser


def main(arguments: list[str] | None = None) -> None:
    """Pre-train with sections of a params file."""
    try:
        _run(_parser().parse_args(arguments))
    except (ValueError, FileNotFoundError) as error:
        sys.exit(f"error: {error}")


def _run(options: argparse.Namespace) -> None:
    settings = drawn, model_config, config = configs(options.run, options.params)
    weights = options.weights or Path(RUNS[options.run][3])
    corpus, validation = corpora(drawn, options.benchmarks)
    group = Group.of_environment()
    workers = options.workers
    if workers is None:
        workers = max(1, (os.cpu_count() or 1) // group.local_world)
    state = options.state / identity(corpus, model_config, config)
    cache = None if options.stream else options.cache
    if cache:
        shards = range(config.examples // SHARD_SIZE)[_part(options.part)]
        corpus.fill_cache(group.share(shards), cache, workers)
    if options.corpus_only:
        return
    progress = pretrain(
        model_config, config, corpus, validation, state, weights, cache, options.device,
        options.seconds, 0 if cache else workers, options.progress,
    )  # fmt: skip
    if progress.finished and group.first:
        said = dict(zip(STORED, map(asdict, settings), strict=True))
        with whole(weights / "training.json") as path:
            path.write_text(json.dumps(said, indent=2) + "\n")


def _part(text: str) -> slice:
    """``2/8``: every eighth shard from the second on."""
    part, _, parts = text.partition("/")
    if not (part.isdecimal() and parts.isdecimal() and 1 <= int(part) <= int(parts)):
        raise ValueError(f"--part is {text!r}; expected I/N with I from 1 to N")
    return slice(int(part) - 1, None, int(parts))
