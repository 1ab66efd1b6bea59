"""Reading YAML that a person wrote: every fault becomes a SchemaError naming the file, the place
and the mend.
"""

from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from schemas.errors import SchemaError

Model = TypeVar("Model", bound=BaseModel)
MERGE = "tag:yaml.org,2002:merge"


def read_yaml(path: Path) -> dict[str, Any]:
    """The mapping in a YAML file; raises SchemaError where the file is missing, broken, or no
    mapping.
    """
    try:
        text = path.read_text(encoding="utf-8")
        data = yaml.load(text, Loader=_loader())
    except OSError as error:
        raise SchemaError(
            f"{path}: can't be read ({error.strerror}); check the path and its rights"
        ) from error
    except UnicodeDecodeError as error:
        raise SchemaError(f"{path}: is not UTF-8 text; save it as UTF-8") from error
    except yaml.YAMLError as error:
        raise SchemaError(
            f"{path}: broken YAML: {_first_line(error)}; mend the file there"
        ) from error
    except ValueError as error:
        raise SchemaError(f"{path}: broken YAML: {error}; mend that value") from error
    if not isinstance(data, dict):
        raise SchemaError(
            f"{path}: must hold a mapping (key: value lines), not {type(data).__name__}"
        )
    return data


def _loader() -> type[yaml.SafeLoader]:
    """The quick loader where there is one, made to refuse a key that stands twice in one mapping:
    YAML would silently take the last.
    """
    base: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    class UniqueKeys(base):  # type: ignore[misc, valid-type]
        """A loader that refuses repeated keys."""

    def mapping(loader: yaml.SafeLoader, node: yaml.MappingNode) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.tag != MERGE and key.value in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"key {key.value!r} stands twice", key.start_mark
                )
            seen.add(key.value if isinstance(key, yaml.ScalarNode) else "")
        loader.flatten_mapping(node)
        return loader.construct_mapping(node, deep=True)

    UniqueKeys.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, mapping)
    return UniqueKeys


def checked(model: type[Model], data: object, where: str) -> Model:
    """`data` as a pydantic model; raises SchemaError with the first fault's path."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise SchemaError(f"{where}: {explain(error)}") from error


def explain(error: ValidationError) -> str:
    """The first fault of a pydantic error in one line: `seed: Input should be a valid integer (got
    'x')`.
    """
    fault = error.errors()[0]
    place = ".".join(str(step) for step in fault["loc"])
    message = fault["msg"].removeprefix("Value error, ")
    if fault["type"] == "extra_forbidden":
        return f"{place}: unknown key; remove it or mend its spelling"
    if fault["type"] == "missing":
        return f"{place}: is missing; add it"
    return f"{place}: {message} (got {fault['input']!r:.60})" if place else message


def _first_line(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or str(error).splitlines()[0]
    return f"line {mark.line + 1}, column {mark.column + 1}: {problem}" if mark else str(problem)
