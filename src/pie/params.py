"""Sections of params.yaml as frozen dataclasses; unknown keys and wrong types are errors."""

import dataclasses
import hashlib
import inspect
import json
import re
import typing
from pathlib import Path
from typing import TypeVar

import yaml

T = TypeVar("T")


class _Loader(yaml.SafeLoader):
    """YAML 1.2 floats: ``1e-4`` is a number, as for DVC."""


_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"^[-+]?(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][-+]?\d+)?$"),
    list("-+0123456789."),
)


def read_yaml(path: Path) -> dict:
    """A YAML mapping from a file; raises FileNotFoundError or, for other content, ValueError."""
    try:
        content = yaml.load(Path(path).read_text(), Loader=_Loader)
    except yaml.YAMLError as error:
        raise ValueError(f"{path} is not YAML: {error}") from None
    if not isinstance(content, dict):
        raise ValueError(f"{path} holds {type(content).__name__}; expected sections of parameters")
    return content


def merged(base: dict, changes: dict) -> dict:
    """``base`` with the values of ``changes``; mappings in both are merged in the same way.

    >>> merged({"a": 1, "b": {"c": 2, "d": [3]}}, {"b": {"d": [4]}})
    {'a': 1, 'b': {'c': 2, 'd': [4]}}
    """
    nested = {
        key: merged(base[key], value)
        for key, value in changes.items()
        if isinstance(value, dict) and isinstance(base.get(key), dict)
    }
    return base | changes | nested


def record(cls: type[T], values: object, where: str) -> T:
    """Build the dataclass ``cls`` from a mapping, nested dataclasses and tuples included.

    Missing fields take their defaults; ``where`` names the section in error messages. Raises
    ValueError for an unknown key, a missing key without default, or a wrong type.
    """
    if not isinstance(values, dict):
        raise ValueError(f"{where} is {values!r}; expected a mapping")
    known, hints = inspect.signature(cls).parameters, typing.get_type_hints(cls)
    for key in values:
        if key not in known:
            raise ValueError(f"unknown parameter {where}.{key}; known are {', '.join(known)}")
    required = (name for name, field in known.items() if field.default is field.empty)
    if missing := [name for name in required if name not in values]:
        raise ValueError(f"{where} lacks {', '.join(missing)}")
    return cls(**{k: _checked(hints[k], v, f"{where}.{k}") for k, v in values.items()})


def _checked(expected, value, where: str):
    if dataclasses.is_dataclass(expected):
        return record(expected, value, where)
    if typing.get_origin(expected) is tuple:
        if not isinstance(value, (list, tuple)):
            raise ValueError(f"{where} is {value!r}; expected a list")
        inner = typing.get_args(expected)[0]
        return tuple(_checked(inner, v, f"{where}[{i}]") for i, v in enumerate(value))
    if expected is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, expected) or (isinstance(value, bool) and expected is not bool):
        raise ValueError(f"{where} is {value!r}; expected {expected.__name__}")
    return value


def hash_of(config) -> str:
    """Short name of the values of a dataclass."""
    values = json.dumps(dataclasses.asdict(config), sort_keys=True)
    return hashlib.sha256(values.encode()).hexdigest()[:8]
