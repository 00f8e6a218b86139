import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pandas as pd
import pytest
import torch
import yaml
from conftest import TINY
from safetensors import safe_open
from safetensors.torch import load_file

from pie import pretraining
from pie.corpus import Corpus, CorpusConfig
from pie.model import load_weights
from pie.pretraining import TrainingConfig, learning_rate, loss_of, pretrain, validate
from pie.settings import load_corpora, load_settings
from pie.streaming import Shards, batches
from pie.throughput import training_throughput

CORPUS = CorpusConfig(seed=11, n_points=10)
SHORT = TrainingConfig(examples=2048, validation_examples=64, batch_size=32, max_steps=24,
                       validate_every=8, patience=100, learning_rate=2e-3, bfloat16=False,
                       checkpoint_seconds=0)  # fmt: skip


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpus")
    Corpus(CORPUS).shard(0, folder)
    return folder


def train(folder, cache, config=SHORT, **more):
    return pretrain(TINY, config, Corpus(CORPUS), Corpus(replace(CORPUS, seed=12)),
                    folder / "state", folder / "weights", cache, **more)  # fmt: skip


def test_it_learns_and_logs(tmp_path, cache):
    progress = train(tmp_path, cache)
    losses = [row["validation_loss"] for row in progress.rows]
    assert [row["step"] for row in progress.rows] == [8, 16, 24]
    assert losses[-1] < losses[0]
    assert load_weights(tmp_path / "weights").config == TINY


def test_an_interrupted_run_gives_what_an_uninterrupted_one_gives(tmp_path, cache):
    train(tmp_path / "whole", cache)
    for _ in range(50):  # stops and saves after every step
        if train(tmp_path / "pieces", cache, stop_after=0.0).finished:
            break
    whole, pieces = (
        load_file(tmp_path / n / "state/checkpoint.safetensors") for n in ("whole", "pieces")
    )
    assert whole.keys() == pieces.keys()
    assert all(torch.equal(whole[name], pieces[name]) for name in whole)


def test_a_run_killed_at_any_moment_resumes(tmp_path, root):
    """SIGKILL three times on the way; the checkpoint is always whole and the run ends."""
    sections = {
        "corpus": {"seed": 11, "n_points": 10},
        "model": {"width": 32, "heads": 4, "encoder": "inducing", "encoder_layers": 1, "inducing": 8,
                  "decoder_layers": 1, "decoder_feed_forward": 32, "dropout": 0.1},
        "pretraining": {"examples": 2048, "validation_examples": 32, "batch_size": 32, "max_steps": 400,
                        "validate_every": 100, "patience": 100, "checkpoint_seconds": 0},
    }  # fmt: skip
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(sections))
    command = [sys.executable, "-m", "pie.pretraining", "--params", tmp_path / "params.yaml",
               "--benchmarks", root / "data/benchmarks", "--weights", tmp_path / "weights",
               "--state", tmp_path / "state", "--cache", tmp_path / "corpus", "--workers", "1"]  # fmt: skip
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    steps = [0]
    for _ in range(3):
        process = subprocess.Popen(command, env=environment)
        while process.poll() is None and _checkpointed(tmp_path) <= steps[-1]:
            time.sleep(0.05)
        time.sleep(0.1)
        process.send_signal(signal.SIGKILL)
        process.wait()
        steps.append(_checkpointed(tmp_path))
    assert 0 < steps[1] < steps[2] < steps[3] < 400, (
        "each life went on from the last one's checkpoint"
    )
    subprocess.run(command, check=True, env=environment)
    assert _checkpointed(tmp_path) == 400
    assert len(pd.read_csv(tmp_path / "weights/training.csv")) == 4


def _checkpointed(folder):
    """The step of the checkpoint under a folder; 0 if there is none."""
    for checkpoint in (folder / "state").glob("*/checkpoint.safetensors"):
        with safe_open(checkpoint, "pt") as stored:
            return json.loads(stored.metadata()["progress"])["step"]
    return 0


def test_a_checkpoint_of_another_configuration_is_refused(tmp_path, cache):
    train(tmp_path, cache, replace(SHORT, max_steps=1, validate_every=0))
    with pytest.raises(ValueError, match="belongs to another configuration"):
        train(tmp_path, cache, replace(SHORT, max_steps=2, validate_every=0))


def test_early_stopping_ends_a_run_that_does_not_improve(tmp_path, cache):
    config = replace(SHORT, learning_rate=0.0, max_steps=1000, validate_every=2, patience=2)
    assert train(tmp_path, cache, config).step == 6


def test_the_loss_is_the_cross_entropy_of_algorithm_1(tiny_model):
    """Summed over tokens, start and end included, against a loop."""
    points, tokens = (
        torch.randn(3, 10, 3),
        torch.tensor([[5, 4, 0, 0], [13, 4, 5, 0], [4, 0, 0, 0]]),
    )
    losses, exact = loss_of(tiny_model, points, tokens, bfloat16=False)
    for i, row in enumerate(tokens):
        target = [t for t in row.tolist() if t] + [2]
        logits = tiny_model(points[i : i + 1], torch.tensor([[1, *target[:-1]]]))[0].log_softmax(-1)
        expected = -sum(logits[l, t] for l, t in enumerate(target))
        assert losses[i].item() == pytest.approx(expected.item(), rel=1e-4)
        assert bool(exact[i]) == (logits.argmax(-1).tolist() == target)


def test_an_epoch_visits_every_example_once(cache):
    source = batches(Shards(Corpus(CORPUS), SHORT.examples, SHORT.seed, cache), SHORT.batch_size)
    epoch = [next(source) for _ in range(2048 // 32)]
    seen = {points.tobytes() for batch, _ in epoch for points in batch}
    assert len(seen) == 2048


def test_the_rate_is_constant_as_in_the_paper_unless_asked_otherwise():
    assert {learning_rate(TrainingConfig(), s) for s in (0, 10, 10**6)} == {1e-4}
    warm = TrainingConfig(learning_rate=1.0, warmup_steps=10, cosine_decay=True, max_steps=100)
    rates = [learning_rate(warm, s) for s in range(101)]
    assert rates[0] < rates[5] < rates[10] > rates[50] > rates[100] == 0.0


def test_the_released_weights_have_their_recorded_validation_loss(root):
    settings = load_settings(root / "params.yaml")
    model = load_weights(root / "data/models/pie")
    log = pd.read_csv(root / "data/models/pie/training.csv")
    assert model.config == settings.model
    _, validation = load_corpora(root, settings)
    measured = validate(model, validation, settings.pretraining.validation_examples)
    # recorded in bf16 with float32 weights, recomputed in float32 with half-precision ones
    assert measured["validation_loss"] == pytest.approx(log.validation_loss.min(), abs=0.03)


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


def test_throughput_counts_operations(cache):
    result = training_throughput(TINY, SHORT, Corpus(CORPUS), 2, cache)
    assert result.examples_per_second > 0 and 0 < result.share < 1.5
