"""Reading YAML that a person wrote.

Every fault becomes a SchemaError that names the file, the place in it and the mend. Knows nothing
of what the files mean; the type that their content must have is given.
"""

from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import TypeAdapter, ValidationError

from schemas.errors import SchemaError

Checked = TypeVar("Checked")
MERGE = "tag:yaml.org,2002:merge"
"""The tag of YAML's merge key `<<`, the one key that may stand several times in a mapping."""

UNKNOWN_KEY = ("extra_forbidden", "unexpected_keyword_argument")
"""pydantic's two names for a key that is not allowed: in a model and in a dataclass."""


def read_yaml(path: Path) -> dict[str, Any]:
    """The mapping in a YAML file.

    Raises SchemaError where the file is missing or broken, or holds something else.
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
    """The quick loader where there is one, made to refuse a key that stands twice in a mapping.

    YAML itself would silently take the last one.
    """
    base: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    class UniqueKeys(base):  # type: ignore[misc, valid-type]
        """A loader that refuses repeated keys."""

    UniqueKeys.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)
    return UniqueKeys


def _mapping(loader: yaml.SafeLoader, node: yaml.MappingNode) -> dict[Any, Any]:
    seen: set[str] = set()
    for key, _ in node.value:
        if not isinstance(key, yaml.ScalarNode) or key.tag == MERGE:
            continue
        if key.value in seen:
            raise yaml.constructor.ConstructorError(
                None, None, f"key {key.value!r} stands twice", key.start_mark
            )
        seen.add(key.value)
    loader.flatten_mapping(node)
    return loader.construct_mapping(node, deep=True)


def checked(
    kind: type[Checked], data: object, where: str, *, place: str = "", **given: object
) -> Checked:
    """`data` as an object of `kind`, a pydantic model or a dataclass.

    `given` holds values that belong to the object and stand outside of `data`, such as the name of
    the file. Raises SchemaError for the first fault; it begins with `where`, and `place` is where
    `data` stands in the file: `checked(..., "Case.yaml", place="properties.Status")`.
    """
    if isinstance(data, dict):
        for key in given:
            if key in data:
                raise SchemaError(f"{where}: {_unknown(_dotted(place, key))}")
        data = {**data, **given}
    try:
        # mypy takes a class for something that can't be hashed.
        validator = _validator(kind)  # type: ignore[arg-type]
        found: Checked = validator.validate_python(data)
    except ValidationError as error:
        raise SchemaError(f"{where}: {explain(error, place)}") from error
    return found


@cache
def _validator(kind: type[Any]) -> TypeAdapter[Any]:
    """Kept, since it takes pydantic longer to make one than to read a schema's folder with it."""
    return TypeAdapter(kind)


def explain(error: ValidationError, place: str = "") -> str:
    """The first fault of a pydantic error in one line; what was checked stands at `place`.

    Example: `seed: Input should be a valid integer (got 'x')`.
    """
    fault = error.errors()[0]
    steps = [str(step) for step in fault["loc"]]
    # A step in parentheses is the tag of a union's member, which is no key of the file.
    keys = [step for step in steps if not step.startswith("(")]
    place = _dotted(place, *keys)
    message = fault["msg"].removeprefix("Value error, ")
    if fault["type"] in UNKNOWN_KEY:
        return _unknown(place)
    if fault["type"] == "missing":
        return f"{place}: is missing; add it"
    if not place:
        return message
    return f"{place}: {message} (got {fault['input']!r:.60})"


def _dotted(*steps: str) -> str:
    return ".".join(step for step in steps if step)


def _unknown(place: str) -> str:
    return f"{place}: unknown key; remove it or mend its spelling"


def _first_line(error: yaml.YAMLError) -> str:
    problem = getattr(error, "problem", None)
    mark = getattr(error, "problem_mark", None)
    if problem is None:
        problem, *_ = str(error).splitlines()
    if mark is None:
        return str(problem)
    line, column = mark.line + 1, mark.column + 1
    return f"line {line}, column {column}: {problem}"
