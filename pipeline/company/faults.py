"""What is wrong with a company's files, all of it at once: the file, the line, and the mend.

Reads a profile and the world of its lexicon as their models do, but doesn't stop at the first
fault. Knows nothing of rules; those are `pipeline.company.needs`'s.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from schemas.errors import OrgweaveError, SchemaError
from schemas.files import keys_of, read_yaml, said
from schemas.lexicon import WORLD_FILE, LexiconLayer, read_layers, world_facts
from schemas.positions import holds, line_of, place_of_key
from schemas.profile import Profile, lexicon_folder, lexicons_folder
from schemas.world import World

PARTS = {
    "article": "articles",
    "category": "categories",
    "group": "groups",
    "issue": "issues",
    "option": "options",
    "policy": "policies",
}
"""What a fault calls an entry -> the list of the world in which it stands."""

NAMED = re.compile(rf"({'|'.join(PARTS)}) (\w+)\b")


@dataclass(frozen=True, slots=True)
class FileFault:
    """One fault: where it stands, what it is and how to mend it.

    `example` holds lines of YAML that would mend it, as another lexicon has them. A `remark` is
    nothing that a run would stop at. `text` is the line of a rule that it is a fault of.
    """

    file: Path
    line: int
    says: str
    example: tuple[str, ...] = ()
    remark: bool = False
    text: str = ""

    def __str__(self) -> str:
        lines = [f"{self.file}:{self.line}: {self.says}"]
        lines += [f"    {line}" for line in self.example]
        return "\n".join(lines)


def profile_faults(path: Path) -> list[FileFault]:
    """All that is wrong with a profile's file."""
    try:
        data = read_yaml(path)
    except SchemaError as error:
        return [of_error(error, path)]
    return _model_faults(Profile, data, [path])


def world_faults(profile: Profile, path: Path) -> list[FileFault]:
    """All that is wrong with the world of a profile's lexicon, and with how its files are read."""
    try:
        folder = lexicon_folder(profile, path)
    except SchemaError as error:
        return [of_error(error, path)]
    try:
        layers = read_layers(folder, lexicons_folder() / "base")
        facts = world_facts(layers)
    except SchemaError as error:
        return [of_error(error, folder)]
    return _model_faults(World, facts, _files(layers))


def of_error(error: OrgweaveError, file: Path) -> FileFault:
    """An error that names its file itself, as a fault; `file` is where it isn't named."""
    text = str(error)
    name, colon, rest = text.partition(": ")
    if colon and name.endswith((".yaml", ".yml")):
        place = Path(name)
        return FileFault(place, _line_in(rest) or line_of(place, rest.split(": ")[:1]), rest)
    return FileFault(file, 1, text)


def _line_in(text: str) -> int:
    """The line that a message of the YAML reader names, else 0."""
    _, found, rest = text.partition("line ")
    number = rest.partition(",")[0].partition(":")[0]
    return int(number) if found and number.isdecimal() else 0


def _files(layers: Sequence[LexiconLayer]) -> list[Path]:
    """The files in which a key of the world may stand, those laid over the others first."""
    files: list[Path] = []
    for layer in reversed(layers[1:]):
        paths = sorted(layer.folder.glob("*.yaml"))
        files += sorted(paths, key=lambda path: path.name != WORLD_FILE)
    return files


def _model_faults(
    model: type[BaseModel],
    data: dict[str, Any],
    files: Sequence[Path],
) -> list[FileFault]:
    try:
        model.model_validate(data)
    except ValidationError as error:
        found = []
        for fault in error.errors():
            place = keys_of(fault)
            if place:
                file = _file_of(files, place)
                found.append(FileFault(file, line_of(file, place), said(error, fault)))
            else:
                found.append(_whole_fault(said(error, fault), files))
        return found
    return []


def _whole_fault(text: str, files: Sequence[Path]) -> FileFault:
    """A fault of the world as a whole, where the entry stands that its text begins with."""
    named = NAMED.match(text)
    if named:
        for file in files:
            place = place_of_key(file, PARTS[named[1]], named[2])
            if place is not None:
                return FileFault(file, line_of(file, place), text)
    return FileFault(files[0], 1, text)


def _file_of(files: Sequence[Path], place: Sequence[str]) -> Path:
    """The uppermost file that holds the place's first key; the first file where none does."""
    for file in files:
        if place and holds(file, place[:1]):
            return file
    return files[0]
