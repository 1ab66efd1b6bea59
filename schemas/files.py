"""Reading YAML that a person wrote.

Every fault becomes a SchemaError that names the file, the place in it and the mend. Knows nothing
of what the files mean; the type that their content must have is given.
"""

import pickle
import stat
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from schemas.errors import SchemaError

Checked = TypeVar("Checked")
MERGE = "tag:yaml.org,2002:merge"
"""The tag of YAML's merge key `<<`, the one key that may stand several times in a mapping."""

TIMESTAMP = "tag:yaml.org,2002:timestamp"
TEXT = yaml.resolver.BaseResolver.DEFAULT_SCALAR_TAG
LIST = yaml.resolver.BaseResolver.DEFAULT_SEQUENCE_TAG
MAPPING = yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG

LARGEST_FILE = 2_000_000
"""Bytes. The largest file that ships has 61,000; YAML of two million takes seconds to read."""

LARGEST_CONTENT = 4_000_000
"""Characters and values with every alias written out: a few lines of aliases of aliases would be
more than the memory holds.
"""

DEEPEST = 30
"""How deep lists and mappings stand in one another. The files that ship are five deep; what is read
goes through functions that call themselves.
"""

TOO_DEEP = "maximum nesting depth"
"""What newer parsers say of brackets that open a thousand deep, before they tell of the first."""

UNKNOWN_KEY = ("extra_forbidden", "unexpected_keyword_argument")
"""pydantic's two names for a key that is not allowed: in a model and in a dataclass."""
A_LIST = "must be a list"
A_MAPPING = "must be a mapping (key: value lines)"
PLAIN_WORDS = {
    "tuple_type": A_LIST,
    "list_type": A_LIST,
    "dict_type": A_MAPPING,
    "model_type": A_MAPPING,
    "dataclass_type": A_MAPPING,
}
"""pydantic's names of faults that it words for who knows Python's types, and not YAML's."""


def read_yaml(path: Path) -> dict[str, Any]:
    """The mapping in a YAML file.

    Raises SchemaError where the file is missing, broken, too large or too deep, or holds something
    else.
    """
    text = _read_text(path)
    try:
        data = pickle.loads(_parsed(_FileText(text, path)))
    except yaml.YAMLError as error:
        raise _broken(path, error) from error
    except ValueError as error:
        raise SchemaError(f"{path}: broken YAML: {error}; mend that value") from error
    if not isinstance(data, dict):
        found = "nothing" if data is None else type(data).__name__
        raise SchemaError(f"{path}: must hold a mapping (key: value lines), not {found}")
    return data


@dataclass(frozen=True, slots=True)
class _FileText:
    """What stands in a file: equal to the same text in another file, which only messages name."""

    text: str
    path: Path = field(compare=False)


@lru_cache(maxsize=300)
def _parsed(file: _FileText) -> bytes:
    """What a YAML file holds, pickled, so that everyone who reads it gets a copy of their own.

    It is kept, since a run reads some files ten times, and its own copies of them too; parsing
    takes fifty times as long.
    """
    if not _is_own(file.path):
        _check_extent(file.path, file.text)
    loader = _loader()(file.text)
    try:
        node = loader.get_single_node()
        return pickle.dumps(None if node is None else _built(loader, node))
    finally:
        loader.dispose()


def _built(loader: yaml.SafeLoader, node: yaml.Node) -> object:
    """What a node stands for.

    The loader tells it as well; of plain texts, lists and mappings, which nearly all nodes are, it
    would take five times as long.
    """
    if isinstance(node, yaml.ScalarNode) and node.tag == TEXT:
        return node.value
    if isinstance(node, yaml.SequenceNode) and node.tag == LIST:
        return [_built(loader, item) for item in node.value]
    if not isinstance(node, yaml.MappingNode) or node.tag != MAPPING:
        return loader.construct_object(node, deep=True)
    _check_keys(node)
    if any(key.tag == MERGE for key, _ in node.value):
        loader.flatten_mapping(node)
    built = {}
    for key_node, value_node in node.value:
        key = _built(loader, key_node)
        if not isinstance(key, Hashable):
            raise yaml.constructor.ConstructorError(
                None,
                None,
                "found unhashable key",
                key_node.start_mark,
            )
        built[key] = _built(loader, value_node)
    return built


def _broken(path: Path, error: yaml.YAMLError) -> SchemaError:
    mark = getattr(error, "problem_mark", None)
    if mark is not None and TOO_DEEP in str(error):
        return _too_deep(path, mark.line + 1)
    return SchemaError(f"{path}: broken YAML: {_first_line(error)}; mend the file there")


def _too_deep(path: Path, line: int) -> SchemaError:
    return SchemaError(
        f"{path}: line {line}: lists and mappings stand more than {DEEPEST} deep in one another;"
        " flatten them"
    )


def _is_own(path: Path) -> bool:
    """Whether a file ships with this package, whose extent is known: a run reads a hundred."""
    return path.is_relative_to(Path(__file__).parent) and ".." not in path.parts


def _read_text(path: Path) -> str:
    """The text of a file that is one, and of a size that a person writes.

    A pipe would be waited for, and a device such as /dev/zero never ends.
    """
    try:
        status = path.stat()
        if stat.S_ISREG(status.st_mode) and status.st_size > LARGEST_FILE:
            raise SchemaError(
                f"{path}: is larger than {LARGEST_FILE:,} bytes; cut it to what describes a company"
            )
        if not stat.S_ISREG(status.st_mode) and not stat.S_ISDIR(status.st_mode):
            raise SchemaError(f"{path}: is a pipe or a device; name a file that holds YAML")
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise SchemaError(
            f"{path}: can't be read ({error.strerror}); check the path and its rights"
        ) from error
    except UnicodeDecodeError as error:
        raise SchemaError(f"{path}: is not UTF-8 text; save it as UTF-8") from error


def _check_extent(path: Path, text: str) -> None:
    """Raises SchemaError for YAML that nests too deep, or grows too large by its aliases.

    Only the parser's events are read, so that nothing of it is in memory yet.
    """
    open_sizes = [0]
    open_anchors: list[str | None] = []
    anchored: dict[str, int] = {}
    for event in _events(text):
        if isinstance(event, yaml.CollectionStartEvent):
            open_sizes.append(1)
            open_anchors.append(event.anchor)
            if len(open_sizes) > DEEPEST:
                raise _too_deep(path, _line_of(event))
            continue
        if isinstance(event, yaml.CollectionEndEvent):
            size, anchor = open_sizes.pop(), open_anchors.pop()
        elif isinstance(event, yaml.ScalarEvent):
            size, anchor = 1 + len(event.value), event.anchor
        elif isinstance(event, yaml.AliasEvent):
            # An alias within its own anchor would have no end.
            name = str(event.anchor)
            size = LARGEST_CONTENT if name in open_anchors else anchored.get(name, 1)
            anchor = None
        else:
            continue
        open_sizes[-1] += size
        if anchor is not None:
            anchored[anchor] = size
        if open_sizes[-1] > LARGEST_CONTENT:
            line = _line_of(event)
            raise SchemaError(
                f"{path}: line {line}: its aliases make more than {LARGEST_CONTENT:,} characters;"
                " write out what is needed"
            )


def _events(text: str) -> Iterator[yaml.Event]:
    yield from yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def _line_of(event: yaml.Event) -> int:
    return 0 if event.start_mark is None else event.start_mark.line + 1


@cache
def _loader() -> type[yaml.SafeLoader]:
    """The quick loader where there is one, made to refuse a key that stands twice in a mapping.

    YAML itself would silently take the last one.
    """
    base: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    class UniqueKeys(base):  # type: ignore[misc, valid-type]
        """A loader that refuses repeated keys."""

    UniqueKeys.add_constructor(MAPPING, _mapping)
    UniqueKeys.add_constructor(TIMESTAMP, _timestamp)
    return UniqueKeys


def _timestamp(loader: yaml.SafeLoader, node: yaml.ScalarNode) -> object:
    """A date or a datetime; the fault of one that no calendar has names its line."""
    try:
        return loader.construct_yaml_timestamp(node)
    except ValueError as error:
        raise yaml.constructor.ConstructorError(
            None,
            None,
            f"{node.value} is no date ({error})",
            node.start_mark,
        ) from error


def _mapping(loader: yaml.SafeLoader, node: yaml.Node) -> dict[Any, Any]:
    if not isinstance(node, yaml.MappingNode):
        raise yaml.constructor.ConstructorError(
            None,
            None,
            "expected a mapping",
            node.start_mark,
        )
    _check_keys(node)
    loader.flatten_mapping(node)
    return loader.construct_mapping(node, deep=True)


def _check_keys(node: yaml.MappingNode) -> None:
    """Raises YAML's own error where a key stands twice."""
    seen: set[str] = set()
    for key, _ in node.value:
        if not isinstance(key, yaml.ScalarNode) or key.tag == MERGE:
            continue
        if key.value in seen:
            raise yaml.constructor.ConstructorError(
                None,
                None,
                f"key {key.value!r} stands twice",
                key.start_mark,
            )
        seen.add(key.value)


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
    return said(error, error.errors()[0], place)


def said(error: ValidationError, fault: ErrorDetails, place: str = "") -> str:
    """One of the faults of a pydantic error in one line."""
    keys = keys_of(fault)
    place = _dotted(place, *keys)
    message = _plain(fault)
    if fault["type"] in UNKNOWN_KEY:
        return _unknown(place)
    if fault["type"] == "missing":
        return f"{place}: is missing; add it{_misspelt(error, keys)}"
    if not place:
        return message
    # A whole list or mapping would only repeat the file.
    if isinstance(fault["input"], Mapping | Sequence) and not isinstance(fault["input"], str):
        return f"{place}: {message}"
    return f"{place}: {message} (got {fault['input']!r:.60})"


def _plain(fault: ErrorDetails) -> str:
    """What is wrong, in words for somebody who wrote YAML."""
    if fault["type"] == "too_short" and isinstance(fault["input"], str):
        return f"must have at least {fault['ctx']['min_length']} characters"
    message = fault["msg"].removeprefix("Value error, ")
    return PLAIN_WORDS.get(fault["type"], message)


def keys_of(fault: ErrorDetails) -> list[str]:
    """Where a fault stands, as the keys and places in lists that lead to it.

    A step in parentheses is the tag of a union's member, and one with a bracket is its type:
    neither is a key of the file.
    """
    steps = [str(step) for step in fault["loc"]]
    return [step for step in steps if not step.startswith("(") and "[" not in step]


def _misspelt(error: ValidationError, missing: Sequence[str]) -> str:
    """A hint at the unknown keys that stand where a key is missing; mostly it is misspelt."""
    unknown = []
    for fault in error.errors():
        keys = keys_of(fault)
        if fault["type"] in UNKNOWN_KEY and keys[:-1] == list(missing[:-1]):
            unknown.append(repr(keys[-1]))
    if not unknown:
        return ""
    return f", or mend the spelling of the unknown key {', '.join(unknown)}"


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
