"""What somebody tells of their own body and wear, as who writes for another person says it.

    I wore them to work, and my heel was raw.
    One of our members wore them to work, and her heel was raw.

Whom it is about is named once in a message, and is "she" or "he" from there on. What the writer did
(ordered, paid, looked) stays theirs. Works on texts; knows no cases and no rules.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from pipeline.write.style import sentences


def words_of(text: str) -> frozenset[str]:
    """The words of a text, each once."""
    return frozenset(text.split())


HEARD = "heard"
"""The fact that holds what has been said before in a conversation."""

# What only who wears a thing does or feels, and what of a sentence shows that it tells of wear.
WEARS = words_of(
    "wear wore wearing walk walked walking run ran stand stood standing limp limped limping"
    " step dried washed cleaned wiped sprayed waxed treated brushed tied tie pulled yanked"
    " laced zipped stepped trip tripped stumble stumbled slipped feel felt train jog jogged"
    " last bend"
)
OF_WEAR = re.compile(
    r"\b(?:wear|wore|worn|wearing|walk\w*|feet|foot|toes?|heels?|instep|ankles?|skin|socks?"
    r"|blister\w*|limp\w*|sore|achilles|on (?:all day|daily|every day)|tried .{2,60} on|tried on"
    r"|(?:put|had) .{2,40} on(?! (?:them|it))|have (?:them|it) on"
    r"|(?:took|take) (?:them|it) (?:off|out)|usual size"
    r"|stairs)\b",
    re.IGNORECASE,
)
# What who writes does, whoever wears it.
WRITES = words_of(
    "ordered order bought buy paid pay think thought know see saw noticed notice looked"
    " look checked check measured read expected expect want hope asked ask doubt guess"
    " believe wonder understand compared wrote write mean wish found find promise confirmed"
    " admit suppose say said chose choose sent send clicked followed used chosen swear"
    " wanted"
)
HELPS = words_of(
    "can can't cannot could couldn't don't didn't do did haven't hadn't have had will would"
    " wouldn't should shouldn't may might was wasn't am won't never only really just hardly"
    " always still almost nearly barely usually mostly normally even also both now first finally to"
    " be been not"
)
# What of a sentence's "my" is the wearer's, and after which words "me" is.
OWN = re.compile(
    r"\b(my) (?=(?:(?:left|right|little|big|other|old|own|usual|both|poor|sore|second|whole"
    r"|everyday|work) )*"
    r"(?:feet|foot|toes?|heels?|instep|ankles?|skin|achilles|socks?|size|number|shoes|pair|step"
    r"|weight|arch|commute|job|shifts?|training|runs?|walks?|errands)\b)",
    re.IGNORECASE,
)
ON_ME = re.compile(
    r"\b(fits?|fitted|hurts?|rubs?|rubbing|kill|killing|gives?|pinch(?:es)?|cuts?|on|slows?|trips?"
    r"|squeezes?|for) me\b(?! (?:a|an|the|to|your|my|in|back)\b)"
)
GIVEN_ME = re.compile(r"\b(gives?|give) me (?=(?:pain|blisters|sore|a sore|a blister))")
SUBJECT = re.compile(r"(?<![\w'])I(?:'(m|ve|d|ll))?(?![\w'])((?: [\w']+){0,4})")
PAST = words_of(
    "wore had got took went ran put stood felt saw bought gave did was could would can will"
    " must should may might cut kept held left slept came threw let hit hurt lost broke fell"
    " never"
)
IRREGULAR = {"have": "has", "do": "does", "don't": "doesn't", "am": "is", "haven't": "hasn't"}
SHORTENED = {"m": "'s", "ve": "'s", "d": "'d", "ll": "'ll"}
# The same behind a name, which nobody shortens.
IN_FULL = {"m": " is", "ve": " has", "d": " would", "ll": " will"}
# A verb that asks stands before its subject, and the verb behind that has no ending of its own.
ASKS = re.compile(
    r"\b(?:should|can|could|would|did|do|will|may|might|must|have|had) $", re.IGNORECASE
)
THIRD_HELPER = re.compile(r"\b(?:do|have) $", re.IGNORECASE)
ADVERBS = words_of(
    "only really just hardly always still almost nearly barely usually mostly normally even"
    " also never now first finally"
)
OBJECTS = {"he": "him", "she": "her"}
POSSESSIVES = {"he": "his", "she": "her"}
# What is said of somebody when they are named first, and not again: "of ours", "from out of town".
SAID_ONCE = re.compile(r" (?:of ours|of mine|from [a-z ]+)$")
ONE_OF = "one of "
OUR = "our "
CHILD = ("child", "kids")


@dataclass(frozen=True, slots=True)
class Person:
    """Who wears it: as they are named first, as they are once known, and the pronoun."""

    first: str
    known: str
    pronoun: str


def person_of(facts: Mapping[str, str]) -> Person | None:
    """The wearer as a message names them, or None where who writes wears it.

    `heard` among the facts is what has been said before: who was named there is known.

    >>> person_of({"wearer": "one of our members", "pronoun": "she", "heard": "Our member is ill."})
    Person(first='our member', known='our member', pronoun='she')
    """
    wearer = facts.get("wearer", "")
    if not wearer:
        return None
    known = _known(wearer)
    heard = facts.get(HEARD, "").lower()
    first = known if wearer in heard or known in heard else wearer
    return Person(first, known, facts.get("pronoun", ""))


def _known(wearer: str) -> str:
    """How somebody is called who was named before: `one of our older members` is `our member`."""
    *_, noun = SAID_ONCE.sub("", wearer).split()
    if noun in CHILD:
        return "the child"
    if wearer.startswith(ONE_OF):
        return OUR + noun.removesuffix("s")
    if wearer.startswith(("a ", "an ", "another ")):
        return OUR + noun
    return wearer


def names(text: str, person: Person) -> bool:
    """Whether a text names the person."""
    return person.first.lower() in text.lower() or person.known.lower() in text.lower()


def told_of(text: str, person: Person, named: bool) -> tuple[str, bool]:
    """A text that tells of one's own wear, told of that person; and whether they are named by then.

    >>> told_of("I wear them daily.", Person("my son", "my son", "he"), False)
    ('My son wears them daily.', True)
    """
    told = []
    for sentence in sentences(text):
        shifted, named = _sentence(sentence, person, named)
        told.append(shifted)
    return _owned_once(" ".join(told), person), named


def _owned_once(text: str, person: Person) -> str:
    """A text that names whose a thing is once: `my wife's feet in her boots`.

    >>> _owned_once("My son likes my son's boots.", Person("my son", "my son", "he"))
    'My son likes his boots.'
    """
    found = re.search(re.escape(person.first), text, re.IGNORECASE)
    if not found:
        return text
    until = found.end()
    again = re.compile(rf"\b{re.escape(person.first)}'s\b", re.IGNORECASE)
    return text[:until] + again.sub(POSSESSIVES[person.pronoun], text[until:])


def _sentence(sentence: str, person: Person, named: bool) -> tuple[str, bool]:
    of_wear = OF_WEAR.search(sentence) is not None
    told = ""
    rest = sentence
    while found := _next(rest, of_wear):
        start, end, kind = found
        told += rest[:start]
        words = rest[start:end]
        rest = rest[end:]
        named = named or names(told, person)
        is_first = not told.strip() or told.rstrip().endswith((":", "\n"))
        match kind:
            case "own":
                put = POSSESSIVES[person.pronoun] if named else f"{person.known}'s"
            case "me":
                put = OBJECTS[person.pronoun] if named else person.first
            case _:
                name = person.pronoun if named else person.first
                helper = ASKS.search(told)
                put = _behind(words, name) if helper else _subject(words, name)
                told = THIRD_HELPER.sub(_third, told) if helper else told
        named = True
        told += put[0].upper() + put[1:] if is_first else put
    return told + rest, named


def _next(rest: str, of_wear: bool) -> tuple[int, int, str] | None:
    """Where the next word stands that is the wearer's, and what it is: `own`, `me` or `subject`."""
    places = [(found.start(1), found.end(1), "own") for found in OWN.finditer(rest)]
    if of_wear or GIVEN_ME.search(rest):
        places += [(found.end(1) + 1, found.end(), "me") for found in ON_ME.finditer(rest)]
    for found in SUBJECT.finditer(rest):
        if _is_wearers(found.group(2).split(), of_wear):
            places.append((found.start(), _verb_end(found), "subject"))
    return min(places, default=None)


def _is_wearers(words: list[str], of_wear: bool) -> bool:
    """Whether who does this is who wears it, by the words behind the "I"."""
    if words[:1] == ["am"] and len(words) == 1:
        # "So here I am" is said of who writes.
        return False
    main = next((word for word in words if word not in HELPS), "")
    if main in WEARS:
        return True
    return of_wear and main not in WRITES


def _verb_end(found: re.Match[str]) -> int:
    """Where the first verb behind an "I" ends; behind the "I" itself where it is shortened."""
    if found.group(1):
        return found.start(2)
    end = found.start(2)
    for word in found.group(2).split():
        end += 1 + len(word)
        if word not in ADVERBS:
            break
    return end


def _behind(words: str, name: str) -> str:
    """`I walk` behind a verb that asks (`did I walk`), of somebody else: `she walk`."""
    _, *others = words.split()
    return " ".join((name, *others))


def _third(found: re.Match[str]) -> str:
    """`do` before "I" is `does` before "she", and `have` is `has`."""
    helper = found.group()
    third = IRREGULAR[helper.strip().lower()]
    return (third.capitalize() if helper[0].isupper() else third) + " "


def _subject(words: str, name: str) -> str:
    """`I really need` of somebody else: `she really needs`."""
    pronoun, *others = words.split()
    forms = SHORTENED if name in OBJECTS else IN_FULL
    shortened = forms.get(pronoun.partition("'")[2], "")
    if not others:
        return name + shortened
    *adverbs, verb = others
    return " ".join((name + shortened, *adverbs, _inflected(verb)))


def _inflected(verb: str) -> str:
    """A verb as it stands behind "she": `have` is `has`, `wore` stays."""
    if verb in IRREGULAR:
        return IRREGULAR[verb]
    if verb in PAST or verb in ADVERBS or verb.endswith(("ed", "n't")):
        return verb
    if verb.endswith(("s", "sh", "ch", "x", "z", "go")):
        return f"{verb}es"
    return f"{verb}s"
