"""The stream of batches: the same from any number of processes and from any step."""

import itertools

import numpy as np
import pytest

from pie.data.corpus import Corpus, CorpusConfig
from pie.network.runs import _part, main
from pie.network.streaming import Shards, batches

CORPUS = Corpus(CorpusConfig(seed=21, n_points=5))
BATCH = 256


@pytest.fixture(scope="module")
def shards(tmp_path_factory):
    """Two shards in a cache."""
    cache = tmp_path_factory.mktemp("corpus")
    CORPUS.fill_cache(range(2), cache)
    return Shards(CORPUS, 2 * 2048, seed=4, cache=cache)


def contents(source, n):
    return [(p.tobytes(), t.tobytes()) for p, t in itertools.islice(source, n)]


@pytest.mark.slow
def test_workers_and_cache_do_not_change_a_batch(shards):
    """Made by two processes with nothing on disk, or read in this one."""
    bare = Shards(CORPUS, 2 * 2048, seed=4)
    assert contents(batches(bare, BATCH, workers=2), 10) == contents(batches(shards, BATCH), 10)


def test_a_stream_can_begin_at_any_step(shards):
    whole = contents(batches(shards, BATCH), 20)  # a shard has 8 batches: into the second epoch
    for start in (3, 8, 13):
        assert contents(batches(shards, BATCH, start), 20 - start) == whole[start:]


def test_epochs_hold_the_same_examples_in_another_order(shards):
    stream = batches(shards, BATCH)
    first, second = ([next(stream)[0] for _ in range(16)] for _ in range(2))
    seen = [sorted(p.tobytes() for batch in epoch for p in batch) for epoch in (first, second)]
    assert seen[0] == seen[1] and len(set(seen[0])) == 4096
    assert first[0].tobytes() != second[0].tobytes()


def test_no_example_is_left_out_of_every_epoch(shards):
    """Of 2048 a batch of 1536 leaves out a quarter: others in each epoch, long ones and short."""
    stream = batches(Shards(CORPUS, 2048, seed=4, cache=shards.cache), 1536)
    seen = {row.tobytes() for points, _ in itertools.islice(stream, 12) for row in points}
    assert len(seen) == 2048


def test_a_batch_has_similar_lengths(shards):
    first = itertools.islice(batches(shards, BATCH), 8)
    assert np.mean([np.ptp((tokens != 0).sum(1)) for _, tokens in first]) < 12


@pytest.mark.parametrize("size", [0, 2049])
def test_a_batch_that_no_shard_holds_is_refused(shards, size):
    with pytest.raises(ValueError, match=f"batch_size is {size}; expected 1 to 2048"):
        next(batches(shards, size))


def test_fewer_examples_than_a_shard_are_the_first_of_it(shards):
    few = Shards(CORPUS, 512, seed=4, cache=shards.cache)
    epochs = contents(batches(few, BATCH), 4)
    first = CORPUS.shard(0, shards.cache)["points"][:512]
    seen = b"".join(sorted(points for points, _ in epochs[:2]))
    rows = {row.tobytes() for row in first}
    size = len(next(iter(rows)))
    assert {seen[i : i + size] for i in range(0, len(seen), size)} == rows
    assert sorted(epochs[:2]) != sorted(epochs[2:]), "other batches in the next epoch"


def test_machines_share_the_cache_by_index():
    assert list(range(10)[_part("2/4")]) == [1, 5, 9]
    assert sorted(i for k in "123" for i in range(10)[_part(f"{k}/3")]) == list(range(10))


def test_a_cache_is_filled_by_no_process_less_than_one(tmp_path):
    with pytest.raises(ValueError, match="workers is 0; expected at least 1"):
        CORPUS.fill_cache(range(1), tmp_path, workers=0)


@pytest.mark.parametrize("text", ["0/4", "5/4", "two", "1", "1/0"])
def test_a_share_that_does_not_exist_is_refused(text):
    with pytest.raises(ValueError, match="--part is"):
        _part(text)


@pytest.mark.slow
def test_corpus_only_fills_its_part_and_stops(tmp_path, root, monkeypatch):
    params = tmp_path / "params.yaml"
    params.write_text("corpus: {seed: 1, n_points: 3}\nmodel: {}\npretraining: {examples: 4096}\n")
    main(["--params", str(params), "--benchmarks", str(root / "data/benchmarks"), "--corpus-only",
          "--part", "2/2", "--workers", "1", "--cache", str(tmp_path / "c"),
          "--weights", str(tmp_path / "w")])  # fmt: skip
    assert [p.name for p in (tmp_path / "c").glob("*/*")] == ["shard-00001.npz"]
    main(["--params", str(params), "--benchmarks", str(root / "data/benchmarks"), "--corpus-only",
          "--stream", "--weights", str(tmp_path / "w")])  # fmt: skip
    assert not (tmp_path / "w").exists()
