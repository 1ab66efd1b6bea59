"""Where in a YAML file something stands: the line of a key, of an entry of a list, or of a text.

A message that names the line is mended at once. Files are read again for it, and only when there is
something to tell. Knows nothing of what the files mean.

Example: `line_of(path, ["categories", "2", "price"])` is the line of the third category's price.
"""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import yaml

Place = Sequence[str | int]


def line_of(path: Path, place: Place) -> int:
    """The line at which a place begins, the first being 1.

    Where the place isn't in the file, it is the line of the longest part of it that is; 1 for a
    file that can't be read.
    """
    node = _composed(path)
    line = 1
    for step in place:
        found = _below(node, str(step))
        if found is None:
            break
        mark, node = found
        line = mark.start_mark.line + 1
    return line


def holds(path: Path, place: Place) -> bool:
    """Whether a place stands in the file."""
    node = _composed(path)
    for step in place:
        found = _below(node, str(step))
        if found is None:
            return False
        _, node = found
    return True


def place_of_key(path: Path, part: str, key: str) -> Place | None:
    """The place of the entry of a list whose `key` is that one: `("issues", 3)`."""
    listed = _below(_composed(path), part)
    if listed is None or not isinstance(listed[1], yaml.SequenceNode):
        return None
    for number, entry in enumerate(listed[1].value):
        stated = _below(entry, "key")
        if stated is not None and stated[1].value == key:
            return (part, number)
    return None


def _below(node: yaml.Node | None, step: str) -> tuple[yaml.Node, yaml.Node] | None:
    """What stands under a key or at a number of a node, and the node whose line is its line."""
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == step:
                return key, value
    if isinstance(node, yaml.SequenceNode) and step.isdecimal() and int(step) < len(node.value):
        entry = node.value[int(step)]
        return entry, entry
    return None


def _composed(path: Path) -> yaml.Node | None:
    try:
        return _parsed(path, path.read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError):
        return None


@lru_cache(maxsize=100)
def _parsed(path: Path, text: str) -> yaml.Node | None:
    """Kept by the text as well, since a file may change between two checks."""
    loader: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    node: yaml.Node | None = yaml.compose(text, Loader=loader)
    return node
