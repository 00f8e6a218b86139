"""params.yaml as one validated record."""

from dataclasses import dataclass, field
from pathlib import Path

from ..baselines.config import BaselinesConfig
from ..data.corpus import CorpusConfig
from ..network.config import ModelConfig
from ..network.schedule import TrainingConfig
from ..params import read_yaml, record
from ..search.algorithm2 import InferenceConfig
from ..search.plus import PlusConfig
from .sensitivity import SensitivityConfig


@dataclass(frozen=True)
class Settings:
    """The sections of params.yaml; ``notebooks`` is passed to papermill unchecked."""

    corpus: CorpusConfig
    model: ModelConfig
    pretraining: TrainingConfig
    inference: InferenceConfig
    inference_plus: PlusConfig
    corpus_plus: CorpusConfig
    model_plus: ModelConfig
    pretraining_plus: TrainingConfig
    model_small: ModelConfig
    pretraining_small: TrainingConfig
    baselines: BaselinesConfig = field(default_factory=BaselinesConfig)
    sensitivity: SensitivityConfig = field(default_factory=SensitivityConfig)
    notebooks: dict = field(default_factory=dict)


def project_root() -> Path:
    """The nearest folder with a params.yaml, from the working folder upwards."""
    here = Path.cwd().resolve()
    for folder in (here, *here.parents):
        if (folder / "params.yaml").exists():
            return folder
    raise FileNotFoundError(f"no params.yaml in {here} or above")


def load_settings(path: Path) -> Settings:
    """Read params.yaml; ValueError quotes an unknown key or a value of the wrong type."""
    return record(Settings, read_yaml(path), "params")
