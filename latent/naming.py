"""How customers call what they bought: by its full name, by its maker, by its kind, or hardly.

    my Skerrin Pace Trainers, the Skerrin running shoes, my runners, my brown shoes

Draws nothing: a way and a point from 0 to 1 come from outside. Knows no org and no cases.
"""

from dataclasses import dataclass

FULL = "full"
SHORT = "short"
KIND = "kind"
VAGUE = "vague"
THE = "the"
POSSESSIVES = ("my", THE)
# Whose they are says for whom they are made: "my son's shoes".
FOR_CHILDREN = ("kids' ", "children's ")
SIBILANTS = ("s", "x", "z", "ch", "sh")


@dataclass(frozen=True, slots=True)
class NamedThing:
    """What there is to call a product by.

    `name` is its name in the catalog, `kind` what customers call such products, `plural` whether
    that is a plural, `color` the color of the piece that was bought, or nothing, and `owner` whose
    it is, where it isn't the writer's: `my son's`.
    """

    name: str
    kind: str
    plural: bool
    color: str = ""
    owner: str = ""


def thing_of(named: NamedThing, way: str, point: float) -> str:
    """The words for a product, in the grammatical number of its kind.

    >>> shoes = NamedThing("Skerrin Pace Trainer", "running shoes", True, "Dark Brown")
    >>> [thing_of(shoes, way, 0.9) for way in ("full", "short", "vague")]
    ['the Skerrin Pace Trainers', 'the Skerrin running shoes', 'the brown shoes']
    >>> thing_of(NamedThing("Trellick Veteran Home Loan", "home loan", False), "vague", 0.1)
    'my loan'
    """
    own = named.owner or (POSSESSIVES[0] if point < 0.5 else POSSESSIVES[1])
    if way == FULL:
        name = plural_of(named.name) if named.plural else named.name
        return f"{own} {name}"
    if way == SHORT:
        return f"{own} {_maker(named)}{_kind(named)}"
    if way == KIND:
        return f"{own} {_kind(named)}"
    *_, noun = named.kind.split()
    if named.plural and named.color:
        # Nobody says "fog gray": what shades have before their color is left out.
        *_, color = named.color.lower().split()
        return f"{own} {color} {noun}"
    return f"{own} {noun}"


def _kind(named: NamedThing) -> str:
    """What such products are called; whose they are says that they are a child's."""
    if named.owner in ("", THE):
        return named.kind
    for prefix in FOR_CHILDREN:
        if named.kind.startswith(prefix):
            return named.kind.removeprefix(prefix)
    return named.kind


def _maker(named: NamedThing) -> str:
    """The first word of a name and a blank; nothing where the kind says the same."""
    first, _, _ = named.name.partition(" ")
    stem = first.lower().rstrip("s")
    if not stem or stem in named.kind.lower():
        return ""
    return f"{first} "


def plural_of(name: str) -> str:
    """A name as people say it of a pair."""
    if name.endswith("s"):
        return name
    ending = "es" if name.endswith(SIBILANTS) else "s"
    return name + ending
