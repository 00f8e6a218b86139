"""Figure 5 a, b and more: small networks that differ in one choice of their training.

A *variant* changes parameters of corpus, network or training in the common setting, section
``sensitivity``. Its network is trained (resumably) and answers a test set by Algorithm 2::

    python -m pie.experiments.sensitivity examples-10240

:func:`pie.experiments.evaluation.scored` scores the answers. The weights are not kept in git.
"""

import argparse
import json
import sys
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from ..data.benchmarks import Problem, load
from ..data.corpus import CorpusConfig
from ..data.recipe import corpora
from ..data.validation import validation_problems
from ..network.config import ModelConfig
from ..network.schedule import TrainingConfig
from ..params import merged, read_yaml, record
from ..search.algorithm2 import InferenceConfig
from ..sources import digest_of
from .answers import Answer, answers, write_records
from .paper_methods import PaperMethods

MIXTURE = "mixture"  # test set of validation items of the mixture


@dataclass(frozen=True)
class Variant:
    """Overrides of parameters, nested as in params.yaml, and the test set.

    ``base`` is the section whose corpus is overridden: ``corpus`` or ``corpus_plus`` (the mixture).
    """

    corpus: dict = field(default_factory=dict)
    model: dict = field(default_factory=dict)
    training: dict = field(default_factory=dict)
    test_set: str = "synthetic"
    base: str = "corpus"


@dataclass(frozen=True)
class SensitivityConfig:
    """The common setting, and the variants by name."""

    model: ModelConfig = ModelConfig()
    training: TrainingConfig = TrainingConfig()
    equations: int = 1000  # at most
    variants: dict = field(default_factory=dict)
    inference: InferenceConfig = InferenceConfig()  # not that of section inference


@dataclass(frozen=True)
class Run:
    """The settings of a variant."""

    name: str
    corpus: CorpusConfig
    model: ModelConfig
    training: TrainingConfig
    test_set: str


def run_of(config: SensitivityConfig, corpora: dict[str, CorpusConfig], name: str) -> Run:
    """The settings of a variant, from sections ``sensitivity``, ``corpus`` and ``corpus_plus``.

    ValueError quotes an unknown variant, base or parameter, or a value of the wrong type.
    """
    if name not in config.variants:
        raise ValueError(f"unknown variant {name!r}; known are {', '.join(config.variants)}")
    where = f"sensitivity.variants.{name}"
    variant = record(Variant, config.variants[name] or {}, where)
    if variant.base not in corpora:
        raise ValueError(f"{where}.base is {variant.base!r}; expected {' or '.join(corpora)}")

    def changed(section: str, base: object) -> object:
        values = merged(asdict(base), getattr(variant, section))
        return record(type(base), values, f"{where}.{section}")

    bases = {"corpus": corpora[variant.base], "model": config.model, "training": config.training}
    sections = {section: changed(section, base) for section, base in bases.items()}
    return Run(name, **sections, test_set=variant.test_set)


def problems_of(test_set: str, mixture: CorpusConfig, benchmarks: Path, n: int) -> list[Problem]:
    """The first ``n`` problems of a test set, or of the validation items of a mixture."""
    if test_set != MIXTURE:
        return load(benchmarks, test_set)[:n]
    _, validation = corpora(mixture, benchmarks)
    return validation_problems(validation, "validation, mixture", range(n))


def train_and_ask(
    run: Run, config: SensitivityConfig, mixture: CorpusConfig, options: argparse.Namespace
) -> list[Answer]:
    """Train the network of a run, or continue to, and find equations with it by *PIE*.

    ``mixture`` is the corpus of the test set :data:`MIXTURE`; ``options`` are :func:`main`'s. The
    ``budget`` of the answers ends in the name of the run. Returns none if training is unfinished.
    """
    pair = corpora(run.corpus, options.benchmarks)
    from ..network.pretraining import identity, pretrain  # PyTorch

    folder = options.build / f"{run.name}-{identity(pair[0], run.model, run.training)}"
    state, weights = folder / "state", folder / "weights"
    limits = {"stop_after": options.seconds, "workers": options.workers}
    progress = pretrain(run.model, run.training, *pair, state, weights, options.cache, **limits)
    if not progress.finished:
        return []
    setting = PaperMethods(weights, config.inference)
    problems = problems_of(run.test_set, mixture, options.benchmarks, config.equations)
    found = answers(setting, ["PIE"], problems, options.workers, options.build / "answers")
    return [replace(answer, budget=f"{answer.budget}, {run.name}") for answer in found]


def write_settings(
    config: SensitivityConfig, corpora: dict[str, CorpusConfig], benchmarks: Path, folder: Path
) -> None:
    """Write what the answers of each variant depend on to ``VARIANT.json``."""
    folder.mkdir(parents=True, exist_ok=True)
    common = {
        "inference": asdict(config.inference),
        "equations": config.equations,
        "code": digest_of(["experiments.sensitivity"]).hex(),
        "benchmarks": digest_of([], files=sorted(benchmarks.iterdir())).hex(),
    }
    for name in config.variants:
        settings = asdict(run_of(config, corpora, name)) | common
        if settings["test_set"] == MIXTURE:
            settings["asked"] = asdict(corpora["corpus_plus"])
        (folder / f"{name}.json").write_text(json.dumps(settings, indent=2) + "\n")


def main(arguments: list[str] | None = None) -> None:
    """Train one variant and write its answers."""
    parser = argparse.ArgumentParser(
        prog="python -m pie.experiments.sensitivity", description=main.__doc__
    )
    parser.add_argument("variant", nargs="?", default="")
    parser.add_argument("--settings", type=Path, help="write those of all variants here only")
    parser.add_argument("--params", type=Path, default=Path("params.yaml"))
    parser.add_argument("--benchmarks", type=Path, default=Path("data/benchmarks"))
    parser.add_argument("--results", type=Path, default=Path("data/results/sensitivity"))
    parser.add_argument("--build", type=Path, default=Path("build/sensitivity"))
    parser.add_argument("--cache", type=Path, default=Path("build/corpus"))
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="save and stop after")
    options = parser.parse_args(arguments)
    try:
        sections = read_yaml(options.params)
        config = record(SensitivityConfig, sections.get("sensitivity", {}), "sensitivity")
        configs = {
            name: record(CorpusConfig, sections[name], name) for name in ("corpus", "corpus_plus")
        }
        if options.settings:
            write_settings(config, configs, options.benchmarks, options.settings)
            return
        run = run_of(config, configs, options.variant)
        found = train_and_ask(run, config, configs["corpus_plus"], options)
    except (ValueError, FileNotFoundError) as error:
        sys.exit(f"error: {error}")
    if found:
        write_records(Answer, found, options.results / f"{options.variant}.csv")


if __name__ == "__main__":
    main()
