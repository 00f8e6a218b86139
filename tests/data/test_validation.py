"""Problems of the validation split, and the ablation that runs on them."""

import numpy as np
import pytest

from pie.data.corpus import Corpus, CorpusConfig
from pie.data.mixture import MixtureConfig
from pie.data.validation import FIRST, noisy_problems, validation_problems
from pie.experiments.ablation import PAPER_WEIGHTS, ablate, parts_of
from pie.experiments.methods import Setting
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


def test_the_ablation_has_a_row_per_part_and_problem_and_resumes(problems, tiny_model, tmp_path):
    save_weights(tiny_model, tmp_path / "weights")
    plus = PlusConfig(beam=4, proposers=("relations", "network"))
    setting = Setting(tmp_path / "weights", tmp_path / "weights", inference_plus=plus)
    parts = ["PIE+", "no network", PAPER_WEIGHTS]
    rows = ablate(setting, problems[1][:2], parts, folder=tmp_path / "journals")
    assert [(r.method, r.equation_id) for r in rows] == [
        (part, p.equation_id) for part in parts for p in problems[1][:2]
    ]
    again = ablate(setting, problems[1][:2], parts, folder=tmp_path / "journals")
    assert [r.seconds for r in again] == [r.seconds for r in rows], "finished rows were run again"
    with pytest.raises(ValueError, match="unknown part 'nothing'; known are PIE"):
        ablate(setting, problems[1][:1], ["nothing"])


def test_every_part_is_left_out_once():
    whole = PlusConfig()
    parts = parts_of(whole)
    assert parts.pop("PIE+") == whole
    assert whole not in parts.values() and len(set(map(repr, parts.values()))) == len(parts)
    assert {f"no {name}" for name in whole.proposers} <= parts.keys()


def test_noise_is_dealt_out_evenly_over_different_equations(problems):
    corpus, _ = problems
    found = noisy_problems([("a", corpus), ("b", corpus)], (0.0, 0.05), each=2, first=10)
    kinds = [(p.equation_id[0], p.n_variables, p.sampling.partition("noise ")[2]) for p in found]
    assert sorted(kinds) == sorted(
        (name, d, level) for name in "ab" for d in (2, 3) for level in ("", "0.05") for _ in "12"
    )
    assert len({p.equation_id for p in found}) == len(found) == 16
