import shutil
from dataclasses import replace
from operator import attrgetter
from pathlib import Path

import pytest
import yaml

from pie.data.corpus import CorpusConfig
from pie.experiments.answers import Answer, read_records
from pie.experiments.evaluation import asked, read_rows, scored
from pie.experiments.sensitivity import MIXTURE, SensitivityConfig, main, problems_of, run_of
from pie.experiments.settings import load_settings
from pie.network import pretraining
from pie.network.checkpoint import Progress
from pie.network.config import ModelConfig
from pie.network.schedule import TrainingConfig
from pie.sources import digests

TINY = {
    "corpus": {"seed": 5, "n_points": 10},
    "corpus_plus": {"seed": 6, "n_points": 20, "mixture": {"share": 1.0}},
    "sensitivity": {
        "model": {"width": 32, "heads": 4, "encoder": "inducing", "encoder_layers": 1,
                  "inducing": 8, "decoder_layers": 1, "decoder_feed_forward": 32},
        "training": {"examples": 64, "validation_examples": 16, "batch_size": 32, "max_steps": 4},
        "inference": {"beam": 2},
        "equations": 2,
        "variants": {
            "examples-32": {"training": {"examples": 32}},
            "points-12": {"corpus": {"n_points": 12}},
            "raw": {"corpus": {"canonical_skeletons": False}},
            "mixture": {"base": "corpus_plus", "test_set": "mixture",
                        "corpus": {"mixture": {"ways": {"whole": 0.0}}}},
        },
    },
}  # fmt: skip


@pytest.fixture
def command(root, tmp_path):
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(TINY))
    arguments = ["--params", "params.yaml", "--benchmarks", root / "data/benchmarks"]
    arguments += ["--results", "rows", "--build", "build", "--cache", "cache"]
    return lambda *more: main([str(a) for a in (*arguments, *more)])


def config(**variants):
    return SensitivityConfig(ModelConfig(), TrainingConfig(), 10, variants)


def test_a_variant_changes_what_it_names_and_nothing_else():
    corpus = CorpusConfig()
    given = config(a={"corpus": {"generator": {"max_operators": 7}}}, b={})
    changed, same = (run_of(given, {"corpus": corpus}, name) for name in "ab")
    assert changed.corpus.generator.max_operators == 7
    assert changed.corpus.generator.min_operators == corpus.generator.min_operators
    assert (changed.model, changed.training) == (same.model, same.training)
    assert same.corpus == corpus


@pytest.mark.parametrize(
    "variant, message",
    [
        ({"corpus": {"points": 5}}, r"unknown parameter sensitivity.variants.a.corpus.points"),
        ({"model": {"width": "wide"}}, r"variants.a.model.width is 'wide'; expected int"),
        ({"corpse": {}}, r"unknown parameter sensitivity.variants.a.corpse"),
        ({"corpus": {"n_points": 2}}, r"n_points is 2; expected at least 3"),
        ({"corpus": {"n_points": 9, "mixture": {"share": 0.5}}}, r"n_points is 9; .* at least 20"),
        ({"base": "corps"}, r"variants.a.base is 'corps'; expected corpus or corpus_plus"),
        ({"training": 3}, r"sensitivity.variants.a.training is 3; expected dict"),
    ],
    ids=["key", "type", "section", "points", "points of a mixture", "base", "mapping"],
)
def test_a_bad_variant_is_quoted(variant, message):
    with pytest.raises(ValueError, match=message):
        run_of(config(a=variant), dict.fromkeys(("corpus", "corpus_plus"), CorpusConfig()), "a")


def test_the_released_variants_are_what_their_names_say(root):
    settings = load_settings(root / "params.yaml")
    corpora = {"corpus": settings.corpus, "corpus_plus": settings.corpus_plus}
    common = run_of(replace(settings.sensitivity, variants={"none": {}}), corpora, "none")
    recipe = attrgetter("batch_size", "learning_rate", "patience", "validate_every", "cosine_decay")
    ways = {}
    for name in settings.sensitivity.variants:
        run = run_of(settings.sensitivity, corpora, name)
        kind, _, value = name.partition("-")
        if kind == "examples":
            assert run.training.examples == int(value) and run.corpus == common.corpus
        elif kind == "width":
            assert run.model.width == int(value) and run.training == common.training
        elif kind in ("points", "raw"):
            change = (
                {"n_points": int(value)} if kind == "points" else {"canonical_skeletons": False}
            )
            assert run == replace(common, name=name, corpus=replace(common.corpus, **change))
        else:
            ways[name] = run
            continue
        assert recipe(run.training) == recipe(TrainingConfig()), "the paper's"
    whole = ways.pop("mixture")
    assert whole.corpus == settings.corpus_plus
    adam, muon = ways.pop("adam"), ways.pop("muon")
    assert adam.training.initial_weights == "" and adam.corpus == settings.corpus_plus
    assert muon == replace(adam, name="muon", training=replace(adam.training, optimizer="muon"))
    for name, run in ways.items():
        assert replace(run, name="", corpus=None) == replace(whole, name="", corpus=None)
        mixture, way = whole.corpus.mixture, name.removeprefix("without-")
        left = {"share": 0.0} if way == "mixture" else {"ways": replace(mixture.ways, **{way: 0.0})}
        assert run.corpus == replace(whole.corpus, mixture=replace(mixture, **left))


def test_an_unknown_variant_ends_in_one_line(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit, match="error: unknown variant 'none'; known are examples-32"):
        command("none")


def test_a_network_is_trained_anew_where_other_equations_are_held_out(
    command, root, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(root / "data/benchmarks", "benchmarks")
    folders = []
    monkeypatch.setattr(pretraining, "pretrain", lambda *a, **_: folders.append(a[4]) or Progress())
    for _ in range(2):
        command("points-12", "--benchmarks", "benchmarks")
    equations = Path("benchmarks/synthetic.csv")
    equations.write_text(equations.read_text().rsplit("\n", 2)[0] + "\n")  # one fewer
    command("points-12", "--benchmarks", "benchmarks")
    assert folders[0] == folders[1] != folders[2]


@pytest.mark.slow
@pytest.mark.parametrize("name", TINY["sensitivity"]["variants"])
def test_a_variant_is_trained_and_asked(command, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    command(name)
    answers = read_records(Answer, tmp_path / f"rows/{name}.csv")
    assert len(answers) == 2 and {a.budget.rpartition(", ")[2] for a in answers} == {name}
    assert {a.benchmark for a in answers} == {
        "validation, mixture" if name == "mixture" else "synthetic"
    }


def test_networks_are_not_trained_again_for_a_change_of_the_metrics():
    needed = {name.rpartition(".")[2] for name in digests(["experiments.sensitivity"])}
    assert "pretraining" in needed and not needed & {"evaluation", "metrics", "guards", "sampson"}


def test_kept_answers_are_scored(root):
    """One of each variant, by the problems that the settings name."""
    settings, benchmarks = load_settings(root / "params.yaml"), root / "data/benchmarks"
    n, drawn = settings.sensitivity.equations, settings.notebooks["sensitivity"]
    sets = [problems_of(s, settings.corpus_plus, benchmarks, n) for s in ("synthetic", MIXTURE)]
    kept = [read_records(Answer, root / f"data/results/sensitivity/{name}.csv")
            for name in [*drawn["variants"], *drawn["ours"]]]  # fmt: skip
    stored = {(r.benchmark, r.condition, r.equation_id): r
              for r in read_rows(root / "data/results/sensitivity.csv")}  # fmt: skip
    found = [answers[-1] for answers in kept]
    for row in scored(found, asked(found, sum(sets, []))):
        old = stored[row.benchmark, row.condition, row.equation_id]
        assert (row.equation, row.seconds) == (old.equation, old.seconds)
        assert row.fitness == pytest.approx(old.fitness, abs=1e-3)
    with pytest.raises(ValueError, match="an answer to 'V999' of 'synthetic'; expected one to the"):
        asked([replace(found[0], equation_id="V999", benchmark="synthetic")], sets[0])


@pytest.mark.slow
def test_a_run_that_is_cut_goes_on_and_has_no_rows_before_its_end(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    command("examples-32", "--seconds", "0")
    assert not (tmp_path / "rows").exists()
    (state,) = (tmp_path / "build").glob("examples-32-*/state/checkpoint.safetensors")
    cut = state.read_bytes()
    command("examples-32")
    assert state.read_bytes() != cut and (tmp_path / "rows/examples-32.csv").exists()
    (log,) = (tmp_path / "build").glob("examples-32-*/weights/training.csv")
    steps = [int(line.split(",")[0]) for line in log.read_text().splitlines()[1:]]
    assert steps == [1, 2, 3, 4], "a validation per epoch of 32 examples, none twice"
