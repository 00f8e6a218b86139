import pytest
import yaml

from pie.experiments.settings import load_settings, project_root
from pie.network.schedule import TrainingConfig
from pie.params import read_yaml, record
from pie.search.algorithm2 import InferenceConfig


def test_the_project_file_is_valid_and_1e_4_is_a_number(root):
    settings = load_settings(root / "params.yaml")
    assert settings.inference.tau == 1e-4 and isinstance(settings.pretraining.learning_rate, float)
    assert settings.inference.beam == 64 and settings.corpus.n_points == 200


@pytest.mark.parametrize(
    "path, value, message",
    [
        (("inference", "beem"), 3, r"unknown parameter params\.inference\.beem; known are beam"),
        (("inference", "beam"), "wide", r"params\.inference\.beam is 'wide'; expected int"),
        (("inference", "beam"), 2.5, r"params\.inference\.beam is 2\.5; expected int"),
        (("inference", "beam"), True, r"params\.inference\.beam is True; expected int"),
        (("corpus", "generator", "max_operators"), None, r"max_operators is None; expected int"),
        (("modell",), {}, r"unknown parameter params\.modell"),
        (("model",), 3, r"params\.model is 3; expected a mapping"),
        (("model", "encoder"), "mlp", r"model\.encoder is 'mlp'"),
    ],
)
def test_a_wrong_parameter_is_quoted(root, tmp_path, path, value, message):
    content = read_yaml(root / "params.yaml")
    section = content
    for key in path[:-1]:
        section = section[key]
    section[path[-1]] = value
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(content))
    with pytest.raises(ValueError, match=message):
        load_settings(tmp_path / "params.yaml")


def test_a_missing_section_is_named(root, tmp_path):
    content = read_yaml(root / "params.yaml")
    del content["model"]
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(content))
    with pytest.raises(ValueError, match="params lacks model"):
        load_settings(tmp_path / "params.yaml")


@pytest.mark.parametrize(
    "text, message", [("- 1\n", "holds list"), ("a: [", "is not YAML"), ("", "holds NoneType")]
)
def test_a_file_that_is_not_a_mapping_is_refused(tmp_path, text, message):
    (tmp_path / "p.yaml").write_text(text)
    with pytest.raises(ValueError, match=message):
        read_yaml(tmp_path / "p.yaml")


def test_whole_numbers_may_stand_for_floats():
    assert record(TrainingConfig, {"learning_rate": 1}, "t").learning_rate == 1.0
    assert record(InferenceConfig, {}, "i") == InferenceConfig()


def test_the_project_is_found_from_its_folders(root, tmp_path, monkeypatch):
    monkeypatch.chdir(root / "notebooks")
    assert project_root() == root
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileNotFoundError, match="no params.yaml"):
        project_root()
