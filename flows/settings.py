"""A YAML file and ``--set a.b=c`` settings over it, checked by a pydantic model; errors a person can act on.

values = read_yaml(Path("recipes/demo.yaml"))
recipe = check(BuildRecipe, values, "recipes/demo.yaml", parse_sets(["press.pages=40"]))
# RequestError: recipes/demo.yaml: press.pagez: unknown key (did you mean press.pages?)
"""

import difflib
import typing
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import annotated_types
import yaml
from pydantic import BaseModel, ValidationError

from proofpress.pages.errors import RequestError

Model = TypeVar("Model", bound=BaseModel)
Key = tuple[int | str, ...]

#: What PyYAML raises for text it cannot read; a date or a number that is none (2001-13-45) is a mere ``ValueError``.
NOT_YAML = (yaml.YAMLError, ValueError, RecursionError)


def read_yaml(path: Path) -> dict[str, Any]:
    """The keys and values of a YAML file; ``RequestError`` naming the file where it holds none."""
    try:
        values = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise RequestError(f"{path}: cannot be read: {error.strerror}") from error
    except NOT_YAML as error:
        raise RequestError(f"{path}: not YAML: {error}") from error
    if not isinstance(values, dict):
        raise RequestError(f"{path}: not a recipe: the file must hold keys and values, such as `name: demo`")
    return values


def parse_sets(sets: Sequence[str], short_names: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Settings as dotted key -> value, each value read as YAML. short_names: key -> what it stands for."""
    settings = {}
    for text in sets:
        key, equals, value = (part.strip() for part in text.partition("="))
        if not equals or not key:
            raise RequestError(f"--set {text}: not a setting; write --set key=value")
        try:
            settings[(short_names or {}).get(key, key)] = yaml.safe_load(value)
        except NOT_YAML as error:
            raise RequestError(f"--set {text}: the value is not YAML: {error}") from error
    return settings


def check(kind: type[Model], values: dict[str, Any], where: str, settings: Mapping[str, Any]) -> Model:
    """The values, with the settings over them, as a model. where: what errors name as the place of the values."""
    for key, value in settings.items():
        _put(values, key, value)
    try:
        return kind.model_validate(values)
    except ValidationError as error:
        raise RequestError("\n".join(_explain(error, kind, where, settings))) from error


def _put(values: dict[str, Any], key: str, value: Any) -> None:
    """Set a dotted key, making the mappings on the way; a number steps into a list."""
    place: Any = values
    *parents, last = key.split(".")
    for depth, name in enumerate([*parents, last]):
        step: Any = name
        if isinstance(place, list):
            if not name.isdecimal() or int(name) >= len(place):
                raise RequestError(f"--set {key}: {name} is not an entry of that list, which has {len(place)}")
            step = int(name)
        elif not isinstance(place, dict):
            raise RequestError(f"--set {key}: {'.'.join(parents[:depth])} is a value and has no keys")
        if depth == len(parents):
            place[step] = value
        else:
            if isinstance(place, dict) and place.get(step) is None:
                place[step] = {}
            place = place[step]


def _explain(error: ValidationError, kind: type[BaseModel], where: str, settings: Mapping[str, Any]) -> Iterator[str]:
    for fault in error.errors():
        key = ".".join(str(step) for step in fault["loc"])
        was_set = any(key == name or key.startswith(f"{name}.") for name in settings)
        place = f"--set {key}" if was_set else f"{where}: {key}" if key else where
        yield f"{place}: {_what_is_wrong(kind, fault)}"


def _what_is_wrong(kind: type[BaseModel], fault: Any) -> str:
    loc, value = fault["loc"], fault["input"]
    match fault["type"]:
        case "extra_forbidden":
            return _unknown_key(kind, loc)
        case "missing":
            return f"is missing: {_fields_at(kind, loc[:-1])[str(loc[-1])].description}"
        case "greater_than_equal" | "less_than_equal" if (bounds := _bounds(kind, loc)) is not None:
            low, high = bounds
            return f"{value} is not in {low}..{high}" if high is not None else f"{value} is not {low} or more"
        case "value_error":
            return str(fault["ctx"]["error"])
    return f"{value!r}: {fault['msg'][0].lower()}{fault['msg'][1:]}"


def _unknown_key(kind: type[BaseModel], loc: Key) -> str:
    prefix = "".join(f"{step}." for step in loc[:-1])
    known = [f"{prefix}{name}" for name in _fields_at(kind, loc[:-1])]
    near = difflib.get_close_matches(".".join(map(str, loc)), known, n=1)
    return f"unknown key (did you mean {near[0]}?)" if near else f"unknown key (known: {', '.join(known)})"


def _bounds(kind: type[BaseModel], loc: Key) -> tuple[Any, Any] | None:
    """The least and the greatest value (None: no end) a field may have; None where it is no field with a least one."""
    field = _fields_at(kind, loc[:-1]).get(str(loc[-1]))
    limits = field.metadata if field else []
    lows = [limit.ge for limit in limits if isinstance(limit, annotated_types.Ge)]
    highs = [limit.le for limit in limits if isinstance(limit, annotated_types.Le)]
    return (lows[0], highs[0] if highs else None) if lows else None


def _fields_at(kind: type[BaseModel], loc: Key) -> Mapping[str, Any]:
    """The fields of the model that a place of another holds: ``("corpora", 0)`` is a corpus's."""
    for step in loc:
        field = kind.model_fields.get(str(step))
        if field is not None and (inner := next(_models_in(field.annotation), None)):
            kind = inner
    return kind.model_fields


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    """The models in a type such as ``tuple[CorpusRecipe, ...] | None``."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in typing.get_args(annotation):
        yield from _models_in(part)
