"""How customers call what they bought: by its full name, by its maker, by its kind, or hardly.

    my Skerrin Pace Trainer shoes, our Skerrin running shoes, my boots, my brown shoes

Draws nothing: a way and whose it is called come from outside. Knows no org and no cases.
"""

from dataclasses import dataclass

FULL = "full"
SHORT = "short"
KIND = "kind"
VAGUE = "vague"
THE = "the"
MY = "my"
OUR = "our"
# Whose they are says for whom they are made: "my son's shoes".
FOR_CHILDREN = ("kids' ", "children's ")
SIBILANTS = ("s", "x", "z", "ch", "sh")
# The second words of a maker's name of two: `Quarrel Hill`, `Ostrava Row`.
SECOND_WORDS = frozenset({"Hill", "Row", "Lane", "End"})


@dataclass(frozen=True, slots=True)
class NamedThing:
    """What there is to call a product by.

    `name` is its name in the catalog, `kind` what customers call such products, `plural` whether
    that is a plural, `color` the color of the piece that was bought, or nothing, and `owner` whose
    it is called: `my`, `our`, `the`, `my son's`.
    """

    name: str
    kind: str
    plural: bool
    color: str = ""
    owner: str = MY


def thing_of(named: NamedThing, way: str) -> str:
    """The words for a product, in the grammatical number of its kind.

    >>> shoes = NamedThing("Skerrin Pace Trainer", "running shoes", True, "Dark Brown")
    >>> [thing_of(shoes, way) for way in ("full", "short", "vague")]
    ['my Skerrin Pace Trainer shoes', 'my Skerrin running shoes', 'my brown shoes']
    >>> thing_of(NamedThing("Trellick Veteran Home Loan", "home loan", False, owner="our"), "vague")
    'our loan'
    """
    own = named.owner
    if way == FULL:
        return f"{own} {in_full(named.name, named.kind, named.plural)}"
    if way == SHORT:
        return f"{own} {made_by(named.name, _kind(named))}"
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
    if named.owner in (MY, OUR, THE):
        return named.kind
    for prefix in FOR_CHILDREN:
        if named.kind.startswith(prefix):
            return named.kind.removeprefix(prefix)
    return named.kind


def made_by(name: str, kind: str) -> str:
    """A kind with the maker before it; the kind alone where it says the same.

    >>> made_by("Quarrel Hill Starter Fiber", "internet plan"), made_by("Boots Classic", "boots")
    ('Quarrel Hill internet plan', 'boots')
    """
    first, *others = name.split() or [""]
    stem = first.lower().rstrip("s")
    if not stem or stem in kind.lower():
        return kind
    if others and others[0] in SECOND_WORDS:
        first = f"{first} {others[0]}"
    return f"{first} {kind}"


def in_full(name: str, kind: str, plural: bool) -> str:
    """A name in the catalog as people write it in a sentence.

    Of a pair only the word that the kind ends in has a plural of its own; to another name that word
    is added, for nobody says "the Terraces".

    >>> in_full("Skerrin Trail Boot", "hiking boots", True)
    'Skerrin Trail Boots'
    >>> in_full("Foxglove Vintage Terrace", "sneakers", True)
    'Foxglove Vintage Terrace sneakers'
    """
    *_, noun = kind.split() or [""]
    if not plural or not name or name.lower().split()[-1] == noun.lower():
        return name
    if plural_of(name.lower()).split()[-1] == noun.lower():
        return plural_of(name)
    return f"{name} {noun}".rstrip()


def plural_of(name: str) -> str:
    """A word, or the last one of several, as people say it of a pair."""
    if name.endswith("s"):
        return name
    ending = "es" if name.endswith(SIBILANTS) else "s"
    return name + ending
