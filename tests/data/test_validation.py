"""Problems of the validation split, and *PIE+* in parts on them."""

import copy

import numpy as np
import pytest
import torch

from pie.data.corpus import Corpus, CorpusConfig
from pie.data.generator import GeneratorConfig
from pie.data.mixture import MixtureConfig
from pie.data.validation import FIRST, noisy_problems, validation_problems
from pie.experiments.methods import Setting, in_parts
from pie.network.model import save_weights
from pie.search.plus import PlusConfig


@pytest.fixture(scope="module")
def problems():
    corpus = Corpus(CorpusConfig(seed=5, mixture=MixtureConfig(share=1.0, noisy=0.0, outliers=0.0)))
    return corpus, validation_problems(corpus, "validation, mixture", range(6))


def test_problems_are_items_beyond_those_of_the_loss(problems):
    corpus, found = problems
    for k, problem in enumerate(found):
        item = corpus[FIRST + k]
        assert problem.truth == item.equation and problem.equation_id == f"V{k:03d}"
        assert set(map(tuple, problem.points)) == set(map(tuple, item.points))
        assert len(problem.points) == len(np.unique(item.points, axis=0))
        assert np.mean(problem.box.contains(problem.points)) > 0.6


def test_other_weights_change_the_digest_only_where_the_network_is_asked(tiny_model, tmp_path):
    """A new network leaves the finished rows of *PIE+* without it valid."""
    save_weights(tiny_model, tmp_path)
    setting = Setting(tmp_path, tmp_path)
    names = ["PIE+", "PIE+ (network alone)", "PIE+ (no network)", "PIE+ (no relations)"]
    before = [setting.digest(name) for name in names]
    assert len(set(before)) == 4
    other = copy.deepcopy(tiny_model)
    with torch.no_grad():
        other.output.bias += 1.0
    save_weights(other, tmp_path)
    after = [setting.digest(name) for name in names]
    assert [a == b for a, b in zip(before, after, strict=True)] == [False, False, True, False]


def test_every_part_is_left_out_once():
    whole = PlusConfig()
    parts = in_parts(whole)
    assert parts.pop("PIE+") == whole
    assert whole not in parts.values() and len(set(map(repr, parts.values()))) == len(parts)
    assert {f"PIE+ (no {name})" for name in whole.proposers} <= parts.keys()


def test_noise_is_dealt_out_evenly_over_different_equations(problems):
    corpus, _ = problems
    found = noisy_problems([("a", corpus), ("b", corpus)], (0.0, 0.05), each=2, first=10)
    kinds = [(p.equation_id[0], p.n_variables, p.sampling.partition("noise ")[2]) for p in found]
    assert sorted(kinds) == sorted(
        (name, d, level) for name in "ab" for d in (2, 3) for level in ("", "0.05") for _ in "12"
    )
    assert len({p.equation_id for p in found}) == len(found) == 16


@pytest.mark.parametrize(
    "config",
    [CorpusConfig(generator=GeneratorConfig(max_variables=2)), CorpusConfig(n_points=10)],
    ids=["two variables", "few points"],
)
def test_a_corpus_without_such_problems_is_refused(config):
    with pytest.raises(ValueError, match="expected at least 3 and 20"):
        noisy_problems([("a", Corpus(config))], (0.0,), each=1, first=0)
