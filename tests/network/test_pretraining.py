import io
import shutil
from dataclasses import asdict, replace
from typing import get_type_hints

import numpy as np
import pandas as pd
import pytest
import torch
import yaml
from safetensors.torch import load_file
from tiny import TINY

from pie.data.corpus import SHARD_SIZE, Corpus, CorpusConfig
from pie.data.mixture import MixtureConfig, WayWeights
from pie.data.recipe import corpora
from pie.experiments.settings import Settings, load_settings
from pie.network import objective, pretraining, runs
from pie.network.checkpoint import Progress
from pie.network.config import ModelConfig
from pie.network.inference import Network
from pie.network.model import PIE, load_weights, parameter_count, save_weights
from pie.network.objective import exact_by_noise, loss_of, validate
from pie.network.optimizers import optimizers_of, set_rate
from pie.network.pretraining import identity, pretrain
from pie.network.runs import RUNS, configs, is_finished, main
from pie.network.schedule import TrainingConfig, learning_rate
from pie.params import read_yaml, record
from pie.report import figures, tables
from pie.search.proposers.network import skeletons

CORPUS = CorpusConfig(seed=11, n_points=10)
SHORT = TrainingConfig(examples=2048, validation_examples=64, batch_size=32, max_steps=24,
                       validate_every=8, patience=100, learning_rate=2e-3, bfloat16=False,
                       checkpoint_seconds=0)  # fmt: skip


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpus")
    Corpus(CORPUS).shard(0, folder)
    return folder


def train(folder, cache, config=SHORT, network=TINY, **more):
    return pretrain(network, config, Corpus(CORPUS), Corpus(replace(CORPUS, seed=12)),
                    folder / "state", folder / "weights", cache, **more)  # fmt: skip


def test_it_learns_and_logs(tmp_path, cache):
    progress = train(tmp_path, cache)
    losses = [row["validation_loss"] for row in progress.rows]
    assert [row["step"] for row in progress.rows] == [8, 16, 24]
    assert losses[-1] < losses[0]
    assert load_weights(tmp_path / "weights").config == TINY


def test_the_training_loss_of_an_interrupted_run_is_that_of_an_uninterrupted_one(tmp_path, cache):
    config = replace(SHORT, max_steps=3, validate_every=3)
    whole = train(tmp_path / "whole", cache, config)
    while not (pieces := train(tmp_path / "pieces", cache, config, stop_after=0.0)).finished:
        pass  # stops and saves after every step
    alike = ("step", "training_loss", "validation_loss")
    assert [[row[k] for k in alike] for row in pieces.rows] == [
        [row[k] for k in alike] for row in whole.rows
    ]


def test_weights_are_those_of_the_run_whatever_their_folder_held(tmp_path, cache):
    """The run is interrupted after its best validation, the first; DVC empties the folder."""
    config = replace(SHORT, learning_rate=0.0, max_steps=9, validate_every=1, patience=2)
    weights = tmp_path / "weights"
    train(tmp_path, cache, config, stop_after=0.0)
    best = (weights / "weights-1-of-1.safetensors").read_bytes()
    shutil.rmtree(weights)
    assert train(tmp_path, cache, config).finished
    assert (weights / "weights-1-of-1.safetensors").read_bytes() == best
    save_weights(PIE(TINY), weights)
    (weights / "training.json").write_text("that of another run")
    train(tmp_path, cache, config)
    assert (weights / "weights-1-of-1.safetensors").read_bytes() == best
    assert len(pd.read_csv(weights / "training.csv")) == 3
    assert not (weights / "training.json").exists()


def test_a_first_validation_that_is_not_finite_ends_a_run(tmp_path, cache, monkeypatch):
    measured = {"validation_loss": float("nan"), "validation_exact": 0.0}
    monkeypatch.setattr(pretraining, "validate", lambda *_: measured)
    with pytest.raises(ValueError, match="validation_loss is nan at step 1; expected a finite one"):
        train(tmp_path, cache, replace(SHORT, max_steps=1))


def test_the_identity_of_a_run_tells_what_its_initial_weights_are(tmp_path):
    names = set()
    for seed in (0, 1):
        torch.manual_seed(seed)
        save_weights(PIE(TINY), tmp_path)
        on = replace(SHORT, initial_weights=str(tmp_path))
        names |= {identity(Corpus(CORPUS), TINY, config) for config in (SHORT, on)}
    assert len(names) == 3


@pytest.mark.slow
@pytest.mark.parametrize("optimizer", ["adam", "muon"])
def test_an_interrupted_run_gives_what_an_uninterrupted_one_gives(tmp_path, cache, optimizer):
    config = replace(SHORT, optimizer=optimizer)
    train(tmp_path / "whole", cache, config)
    for _ in range(50):  # stops and saves after every step
        if train(tmp_path / "pieces", cache, config, stop_after=0.0).finished:
            break
    whole, pieces = (
        load_file(tmp_path / n / "state/checkpoint.safetensors") for n in ("whole", "pieces")
    )
    assert whole.keys() == pieces.keys()
    assert all(torch.equal(whole[name], pieces[name]) for name in whole)


def test_a_checkpoint_of_another_configuration_is_refused(tmp_path, cache):
    train(tmp_path, cache, replace(SHORT, max_steps=1, validate_every=0))
    with pytest.raises(ValueError, match="belongs to another configuration"):
        train(tmp_path, cache, replace(SHORT, max_steps=2, validate_every=0))


def test_early_stopping_ends_a_run_that_does_not_improve(tmp_path, cache):
    config = replace(SHORT, learning_rate=0.0, max_steps=1000, validate_every=2, patience=2)
    assert train(tmp_path, cache, config).step == 6


def test_every_parameter_is_trained_by_one_optimizer():
    model = PIE(TINY)
    for name, kinds in (("adam", ["Adam"]), ("muon", ["Adam", "Muon"])):
        found = optimizers_of(model, replace(SHORT, optimizer=name))
        assert [type(optimizer).__name__ for optimizer in found] == kinds
        trained = [p for o in found for group in o.param_groups for p in group["params"]]
        assert sorted(map(id, trained)) == sorted(map(id, model.parameters()))
        named = {id(p): key for key, p in model.named_parameters()}
        last = {named[id(p)] for group in found[-1].param_groups for p in group["params"]}
        assert {"encoder.embed.0.weight", "layers.0.self_attention.query.weight"} <= last
        assert ("tokens.weight" in last) == ("output.weight" in last) == (name == "adam")
        set_rate(found, 0.5)
        assert {group["lr"] for o in found for group in o.param_groups} == {0.5}
    with pytest.raises(ValueError, match="optimizer is 'sgd'; expected 'adam' or 'muon'"):
        replace(SHORT, optimizer="sgd")


def test_a_network_goes_on_from_one_of_its_sizes_only(tmp_path, cache):
    first = replace(SHORT, max_steps=1, validate_every=1)
    train(tmp_path, cache, first)
    on = replace(first, initial_weights=str(tmp_path / "weights"), learning_rate=0.0)
    train(tmp_path / "on", cache, on)
    before, after = (load_file(p) for p in sorted(tmp_path.glob("**/weights/weights-*")))
    assert all(torch.equal(before[name], after[name]) for name in before)
    with pytest.raises(ValueError, match="initial weights .* are of ModelConfig"):
        train(tmp_path / "other", cache, on, replace(TINY, width=64))


@pytest.mark.parametrize("name", ["examples", "validation_examples", "batch_size", "max_steps"])
def test_a_training_on_nothing_is_refused(name):
    with pytest.raises(ValueError, match=f"^{name} is 0; expected at least 1"):
        replace(SHORT, **{name: 0})


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"max_tokens": 39}, "corpus.max_tokens is 40; expected at most the 39"),
        ({"max_variables": 2}, "corpus.generator.max_variables is 3; expected the 2"),
        ({"max_variables": 4}, "corpus.generator.max_variables is 3; expected the 4"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, dict) else "",
)
def test_a_corpus_that_the_network_does_not_hold_is_refused(tmp_path, cache, changes, message):
    with pytest.raises(ValueError, match=message):
        train(tmp_path, cache, network=replace(TINY, **changes))


def test_the_loss_is_the_cross_entropy_of_algorithm_1(tiny_model):
    """Summed over tokens, start and end included, against a loop."""
    points, tokens = (
        torch.randn(3, 10, 3),
        torch.tensor([[5, 4, 0, 0], [13, 4, 5, 0], [4, 0, 0, 0]]),
    )
    losses, exact = loss_of(tiny_model, points, tokens, bfloat16=False)
    for i, row in enumerate(tokens):
        target = [t for t in row.tolist() if t] + [2]
        prefix = torch.tensor([[1, *target[:-1]]])
        logits = tiny_model(points[i : i + 1], prefix)[0].log_softmax(-1)
        expected = -sum(logits[place, token] for place, token in enumerate(target))
        assert losses[i].item() == pytest.approx(expected.item(), rel=1e-4)
        assert bool(exact[i]) == (logits.argmax(-1).tolist() == target)


def test_the_rate_is_constant_as_in_the_paper_unless_asked_otherwise():
    assert {learning_rate(TrainingConfig(), s) for s in (0, 10, 10**6)} == {1e-4}
    warm = TrainingConfig(learning_rate=1.0, warmup_steps=10, cosine_decay=True, max_steps=100)
    rates = [learning_rate(warm, s) for s in range(101)]
    assert rates[0] < rates[5] < rates[10] > rates[50] > rates[100] == 0.0


@pytest.mark.slow
@pytest.mark.parametrize("run", [run for run in RUNS if run != "pie"])  # 02_pretraining does
def test_the_released_weights_have_their_recorded_validation_loss(root, run):
    settings = load_settings(root / "params.yaml")
    corpus, network, recipe, folder = RUNS[run]
    model = load_weights(root / folder)
    log = pd.read_csv(root / folder / "training.csv")
    assert model.config == getattr(settings, network)
    _, validation = corpora(getattr(settings, corpus), root / "data/benchmarks")
    measured = validate(model, validation, getattr(settings, recipe).validation_examples)
    # recorded in bf16 with float32 weights, recomputed in float32 with half-precision ones
    assert measured["validation_loss"] == pytest.approx(log.validation_loss.min(), abs=0.03)
    assert (root / f"{folder}.md").exists(), "a model card"


def test_a_network_is_asked_about_the_same_equations_under_more_noise(monkeypatch):
    asked = []

    def recorded(model, corpus, examples):
        asked.append([corpus[k] for k in range(examples)])
        return {"validation_exact": 0.5}

    monkeypatch.setattr(objective, "validate", recorded)
    boxes = MixtureConfig(ways=WayWeights(0, 1, 0, 0, 0, 0))
    corpus = Corpus(replace(CORPUS, n_points=200, mixture=boxes))
    shares = exact_by_noise(PIE(TINY), corpus, (0.0, 0.01, 0.1), 12)
    assert shares == {0.0: 0.5, 0.01: 0.5, 0.1: 0.5}
    for clean, little, much in zip(*asked, strict=True):
        assert clean.equation.codes == little.equation.codes == much.equation.codes
        away = [np.median(np.abs(noisy.points - clean.points)) for noisy in (little, much)]
        assert 5.0 < away[1] / away[0] < 20.0


@pytest.mark.slow
def test_the_paper_way_does_not_prepare_for_the_mixture(root):
    """The figures of the model card of pie-plus: `pie` on its validation items, the first 512."""
    settings = load_settings(root / "params.yaml")
    _, validation = corpora(settings.corpus_plus, root / "data/benchmarks")
    measured = validate(load_weights(root / "data/models/pie"), validation, 512)
    assert measured["validation_loss"] == pytest.approx(10.85, abs=0.1)
    assert measured["validation_exact"] == pytest.approx(0.141, abs=0.01)


def test_bf16_is_used_only_where_the_processor_has_it(tmp_path, cache, monkeypatch):
    used = set()
    original = pretraining.loss_of
    monkeypatch.setattr(pretraining, "loss_of", lambda *a: used.add(a[3]) or original(*a))
    for native in (True, False):
        monkeypatch.setattr(pretraining, "has_bfloat16", lambda device, native=native: native)
        config = replace(SHORT, max_steps=1, bfloat16=True)
        train(tmp_path / str(native), cache, config)
        assert used == {native}
        used.clear()


@pytest.mark.parametrize(
    "flags, run, names",
    [
        ([], "pie", ("corpus", "model", "pretraining")),
        (["--plus"], "pie-plus", ("corpus_plus", "model_plus", "pretraining_plus")),
        (["--run", "plus"], "pie-plus", ("corpus_plus", "model_plus", "pretraining_plus")),
        (["--run", "small"], "pie-small", ("corpus", "model_small", "pretraining_small")),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_run_has_its_sections_and_its_folder(root, tmp_path, monkeypatch, flags, run, names):
    called = []
    monkeypatch.setattr(runs, "pretrain", lambda *given: called.append(given) or Progress())
    main([*flags, "--stream", "--params", str(root / "params.yaml"), "--state", str(tmp_path),
          "--benchmarks", str(root / "data/benchmarks")])  # fmt: skip
    ((model, config, corpus, validation, _, weights, *_),) = called
    settings = load_settings(root / "params.yaml")
    assert (corpus.config, model, config) == tuple(getattr(settings, name) for name in names)
    assert validation.config.seed == corpus.config.seed + 1
    assert weights.as_posix() == f"data/models/{run}"


@pytest.mark.parametrize("run", RUNS)
def test_the_released_weights_are_finished_with_the_settings_of_the_project(root, run):
    settings = configs(run, root / "params.yaml")
    assert is_finished(root / RUNS[run][3], settings)
    other = replace(settings[2], seed=7)
    assert not is_finished(root / RUNS[run][3], (*settings[:2], other))


def test_a_network_is_trained_once_and_again_for_another_setting(root, tmp_path, monkeypatch):
    sections = {
        "corpus": {"seed": 11, "n_points": 10},
        "model_small": asdict(TINY),
        "pretraining_small": {"examples": 64, "validation_examples": 32, "batch_size": 32,
                              "max_steps": 2, "patience": 9, "validate_every": 1},
    }  # fmt: skip
    (tmp_path / "data").mkdir()
    (tmp_path / "data/benchmarks").symlink_to(root / "data/benchmarks")
    trained, stored, original = [], [], runs.pretrain
    weights = tmp_path / "data/models/pie-small"
    monkeypatch.setattr(runs, "pretrain", lambda *a: trained.append(a[1].seed) or original(*a))
    for seed in (0, 0, 1, 0):
        sections["pretraining_small"]["seed"] = seed
        (tmp_path / "params.yaml").write_text(yaml.safe_dump(sections))
        runs.train(["small"], tmp_path)
        stored.append((weights / "weights-1-of-1.safetensors").read_bytes())
    assert trained == [0, 1, 0]
    assert stored[0] == stored[1] == stored[3] != stored[2], "back to the first setting"
    assert len(pd.read_csv(weights / "training.csv")) == 2


def test_the_small_network_is_trained_as_the_released_one(root):
    settings = load_settings(root / "params.yaml")
    ours, released = settings.pretraining_small, settings.pretraining
    shorter = dict(learning_rate=8e-4, warmup_steps=500, validate_every=512)
    whole = dict(examples=released.examples, max_steps=released.max_steps)
    assert replace(ours, **shorter, **whole) == released
    assert ours.max_steps * ours.batch_size == ours.examples == released.examples // 10
    small, released = (parameter_count(PIE(m)) for m in (settings.model_small, settings.model))
    assert 1.2e6 < small < 1.5e6 and released > 6 * small


def test_the_gpu_configuration_trains_a_network_of_the_papers_size_on_our_corpora(root):
    ours = load_settings(root / "params.yaml")
    given = read_yaml(root / "configs/gpu.yaml")
    assert given.keys() == {name for run in ("pie", "plus") for name in RUNS[run][:3]}
    hints = get_type_hints(Settings)
    gpu = {name: record(hints[name], section, name) for name, section in given.items()}
    assert gpu["corpus"] == ours.corpus and gpu["corpus_plus"] == ours.corpus_plus
    for plus in ("", "_plus"):
        config = gpu[f"pretraining{plus}"]
        assert parameter_count(PIE(gpu[f"model{plus}"])) >= 33e6
        assert SHARD_SIZE % config.batch_size == 0, "no example of a shard is left out"
        assert config.max_steps * config.batch_size == config.examples, "one epoch"


def test_the_papers_configuration_is_table_4(root):
    """One command trains it; where the paper is silent, values are ours."""
    corpus, model, training = configs("pie", root / "configs/paper.yaml")
    assert (model, training) == (ModelConfig(), replace(TrainingConfig(), bfloat16=False))
    assert parameter_count(PIE(model)) == 33_382_460 == pytest.approx(33.1e6, rel=0.02)
    ours = load_settings(root / "params.yaml").corpus
    tree = replace(ours.generator, min_operators=5, max_operators=5)
    assert corpus == replace(ours, canonical_skeletons=False, generator=tree)


@pytest.mark.slow
def test_the_papers_network_trains_and_decodes(root, tmp_path, cloud):
    corpus, model, training = configs("pie", root / "configs/paper.yaml")
    few = dict(examples=2048, validation_examples=16, batch_size=16, max_steps=3, validate_every=1)
    items = Corpus(corpus), Corpus(replace(corpus, seed=1))
    rows = pretrain(
        model, replace(training, **few), *items, tmp_path / "state", tmp_path / "weights"
    ).rows
    assert rows[-1]["validation_loss"] < rows[0]["validation_loss"]
    network = Network.load(tmp_path / "weights")
    assert len(skeletons(network, cloud("x1*x2 - 0.5"), 4)) == 4


LOGS = {
    name: pd.read_csv(io.StringIO(
        "step,examples,seconds,training_loss,validation_loss,validation_exact\n"
        f"1,1000,20.0,20.0,{start},0.05\n2,10000,180.0,9.0,{start - 3},0.25\n"
        f"3,36000,720.0,8.0,{start - 2},0.2\n"
    ))
    for name, start in (("pie", 10.0), ("pie-small", 14.0), ("pie-plus", 12.0))
}  # fmt: skip
SIZES = {"pie": 9_080_124, "pie-small": 1_367_740, "pie-plus": 9_080_124}


def test_the_scaling_figure_shows_loss_and_accuracy_against_examples():
    figure = figures.scaling(LOGS, SIZES)
    for axes, column, unit in zip(
        figure.axes, ("validation_loss", "validation_exact"), (1, 100), strict=True
    ):
        assert axes.get_xscale() == "log"
        for line, log in zip(axes.lines, LOGS.values(), strict=True):
            assert line.get_xdata().tolist() == log.examples.tolist()
            assert line.get_ydata().tolist() == (unit * log[column]).tolist()
    styles = [(line.get_marker(), line.get_linestyle()) for line in figure.axes[0].lines]
    assert len({marker for marker, _ in styles}) == 3, "told apart in black and white"
    assert [dash for _, dash in styles] == ["-", "-", "--"]
    legend = [text.get_text() for text in figure.legends[0].get_texts()]
    assert legend[:2] == ["pie, 9.1 M parameters", "pie-small, 1.4 M parameters"]
    note = "(goes on from pie; its own\nmixture and validation set: not comparable)"
    assert legend[2].endswith(note)
    figures.plt.close(figure)


def test_the_table_of_trainings_shows_the_weights_that_are_stored():
    """Cost is that of the whole run, loss and accuracy are those of the best validation."""
    first = tables.trainings(LOGS, SIZES).to_dict("records")[0]
    assert first == {
        "network": "pie", "parameters": 9_080_124, "examples": 36000, "hours": 0.2,
        "examples per second": 50, "validation loss": 7.0, "exact": "25.0 %",
    }  # fmt: skip
