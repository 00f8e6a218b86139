"""Problems of the validation split, and the ablation that runs on them."""

import numpy as np
import pytest

from pie.data.corpus import Corpus, CorpusConfig
from pie.data.mixture import MixtureConfig
from pie.data.validation import FIRST, validation_problems
from pie.experiments.ablation import PAPER_WEIGHTS, PARTS, ablate
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
    plus = PlusConfig(beam=4, rounds=1, parents=1, degree=1)
    setting = Setting(tmp_path / "weights", tmp_path / "weights", inference_plus=plus)
    parts = ["PIE+", "neither", PAPER_WEIGHTS]
    rows = ablate(setting, problems[1][:2], parts, folder=tmp_path / "journals")
    assert [(r.method, r.equation_id) for r in rows] == [
        (part, p.equation_id) for part in parts for p in problems[1][:2]
    ]
    again = ablate(setting, problems[1][:2], parts, folder=tmp_path / "journals")
    assert [r.seconds for r in again] == [r.seconds for r in rows], "finished rows were run again"
    with pytest.raises(ValueError, match="unknown part 'nothing'; known are PIE"):
        ablate(setting, problems[1][:1], ["nothing"])


def test_every_part_changes_something():
    fields = PlusConfig().__dict__
    for name, changes in PARTS.items():
        assert changes.keys() <= fields.keys()
        assert name == "PIE+" or any(fields[key] != value for key, value in changes.items()), name
