"""The command line: a killed run resumes, and two processes make the run of one."""

import json
import os
import subprocess
import sys
import time
from dataclasses import asdict, replace

import pandas as pd
import pytest
import torch
import yaml
from safetensors.torch import load_file
from tiny import TINY

from pie.data.corpus import Corpus, CorpusConfig
from pie.network import runs
from pie.network.distributed import Group
from pie.network.pretraining import dropout_seed, pretrain
from pie.network.schedule import TrainingConfig

TWO = TrainingConfig(examples=2048, validation_examples=32, batch_size=32, max_steps=2,
                     validate_every=1, patience=100, learning_rate=1e-3, gradient_clip=1.0,
                     bfloat16=False, checkpoint_seconds=0)  # fmt: skip
ONE_THREAD = os.environ | {"OMP_NUM_THREADS": "1"}
TORCHRUN = ["torch.distributed.run", "--standalone", "--nproc-per-node", "2", "-m"]


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("corpus")  # filled by the first run


def command(folder, root, cache, *launcher, config=TWO, more=()):
    """Trains a tiny network in a folder."""
    sections = {"corpus": {"seed": 11, "n_points": 10}, "model": asdict(TINY),
                "pretraining": asdict(config)}  # fmt: skip
    folder.mkdir(exist_ok=True)
    (folder / "params.yaml").write_text(yaml.safe_dump(sections))
    return [sys.executable, "-m", *launcher, "pie.network.pretraining",
            "--params", folder / "params.yaml", "--benchmarks", root / "data/benchmarks",
            "--weights", folder / "weights", "--state", folder / "state",
            "--cache", cache, "--workers", "1", "--device", "cpu", *more]  # fmt: skip


def run(*given, **more):
    """The finished process of a command."""
    return subprocess.run(
        command(*given, **more), env=ONE_THREAD, capture_output=True, text=True, timeout=300
    )


def log(folder):
    return pd.read_csv(folder / "weights/training.csv")


def checkpoint(folder):
    (path,) = (folder / "state").glob("*/checkpoint.safetensors")
    return load_file(path)


def checkpointed(folder):
    """The step of the checkpoint under a folder; 0 if there is none.

    Read at once, not by ``safe_open``, which opens a file twice: it is being replaced meanwhile.
    """
    for path in (folder / "state").glob("*/checkpoint.safetensors"):
        stored = path.read_bytes()
        header = json.loads(stored[8 : 8 + int.from_bytes(stored[:8], "little")])
        return json.loads(header["__metadata__"]["progress"])["step"]
    return 0


@pytest.mark.slow
def test_a_run_killed_at_any_moment_resumes(tmp_path, root, cache):
    """Three times on the way; the checkpoint is always whole and the run ends."""
    arguments = command(
        tmp_path, root, cache, config=replace(TWO, max_steps=400, validate_every=100)
    )
    steps = [0]
    for _ in range(3):
        process = subprocess.Popen(arguments, env=ONE_THREAD)
        while process.poll() is None and checkpointed(tmp_path) <= steps[-1]:
            time.sleep(0.05)
        time.sleep(0.1)
        process.kill()
        process.wait()
        steps.append(checkpointed(tmp_path))
    assert 0 < steps[1] < steps[2] < steps[3] < 400, "each life went on from the last one's"
    subprocess.run(arguments, check=True, env=ONE_THREAD)
    assert checkpointed(tmp_path) == 400
    assert len(log(tmp_path)) == 4


@pytest.mark.slow
def test_two_processes_make_the_run_of_one_also_when_resumed(tmp_path, root, cache):
    """Stopped by the clock after one step, and started again."""
    alone = run(tmp_path / "one", root, cache)
    assert alone.returncode == 0, alone.stderr
    for more, steps in ((("--seconds", "0"), 1), ((), 2)):
        done = run(tmp_path / "two", root, cache, *TORCHRUN, more=more)
        assert done.returncode == 0, done.stderr
        assert log(tmp_path / "two").step.tolist() == [1, 2][:steps]
    for column in ("training_loss", "validation_loss"):
        one, two = (log(tmp_path / name)[column].tolist() for name in ("one", "two"))
        assert two == pytest.approx(one, abs=2e-4), column
    one, two = checkpoint(tmp_path / "one"), checkpoint(tmp_path / "two")
    assert one.keys() == two.keys()
    for name in one:
        # softmax does not see the bias of the keys: its gradient is rounding, which Adam scales up
        if not name.endswith("key.bias"):
            torch.testing.assert_close(two[name], one[name], rtol=1e-3, atol=2e-5, msg=name)


@pytest.mark.slow
def test_early_stopping_ends_every_process(tmp_path, root, cache):
    config = replace(TWO, learning_rate=0.0, max_steps=1000, patience=2)
    done = run(tmp_path, root, cache, *TORCHRUN, config=config)
    assert done.returncode == 0, done.stderr
    assert log(tmp_path).step.tolist() == [1, 2, 3]


@pytest.mark.slow
def test_a_batch_that_cannot_be_shared_is_refused(tmp_path, root, cache):
    done = run(tmp_path, root, cache, *TORCHRUN, config=replace(TWO, batch_size=33))
    assert done.returncode != 0
    expected = "error: batch_size is 33; expected a multiple of the 2 processes"
    assert done.stderr.count(expected) >= 1
    assert not (tmp_path / "weights").exists()


def test_the_shares_of_a_batch_are_the_batch():
    rows = torch.arange(12)
    shares = [Group(rank, 4).share(rows) for rank in range(4)]
    assert {len(share) for share in shares} == {3}
    assert sorted(torch.cat(shares).tolist()) == rows.tolist()


def test_what_is_dropped_differs_between_processes_and_steps():
    seeds = {dropout_seed(0, step, rank) for step in range(100) for rank in range(8)}
    assert len(seeds) == 800
    assert dropout_seed(3, 5, 0) == hash((3, 5)), "one process draws what it always drew"


def test_a_process_that_finds_another_checkpoint_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(Group, "of_first", lambda group, *values: (7,))
    corpus = Corpus(CorpusConfig(seed=11, n_points=10))
    with pytest.raises(ValueError, match="process 0 found step 7; expected a folder that all"):
        pretrain(TINY, TWO, corpus, corpus, tmp_path / "state", tmp_path / "weights")


def test_each_process_has_a_gpu_of_its_own(monkeypatch):
    called = []
    monkeypatch.setattr(torch.cuda, "set_device", called.append)
    monkeypatch.setattr(
        torch.distributed, "init_process_group", lambda backend, **more: called.append(backend)
    )
    assert Group(rank=5, world=8, local_rank=1).join("cuda") == "cuda:1"
    assert called == [1, "cpu:gloo,cuda:nccl"]
    assert Group().join("cuda:3") == "cuda:3" and len(called) == 2


def test_the_launcher_is_recognised_or_the_mistake_is_named(monkeypatch):
    names = {"RANK": "3", "WORLD_SIZE": "4", "LOCAL_RANK": "1", "LOCAL_WORLD_SIZE": "2"}
    for name in names:
        monkeypatch.delenv(name, raising=False)
    assert Group.of_environment() == Group()
    monkeypatch.setenv("WORLD_SIZE", "4")
    with pytest.raises(ValueError, match="RANK, LOCAL_RANK, LOCAL_WORLD_SIZE is not set"):
        Group.of_environment()
    for name, value in names.items():
        monkeypatch.setenv(name, value)
    assert Group.of_environment() == Group(3, 4, 1, 2)


def test_processes_fill_different_parts_of_the_cache(tmp_path, monkeypatch):
    filled = []
    monkeypatch.setattr(Corpus, "fill_cache", lambda self, shards, *_: filled.extend(shards))
    monkeypatch.setattr(runs, "corpora", lambda *_: (Corpus(), Corpus()))
    (tmp_path / "p.yaml").write_text("corpus: {}\nmodel: {}\npretraining: {examples: 10240}\n")
    for rank in range(2):
        monkeypatch.setattr(Group, "of_environment", lambda rank=rank: Group(rank, 2))
        runs.main(["--params", str(tmp_path / "p.yaml"), "--corpus-only"])
    assert sorted(filled) == list(range(5)) and len(filled) == 5
