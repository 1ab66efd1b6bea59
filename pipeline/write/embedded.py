"""The embedded writer: no key, no network, no cost.

It answers the requests that a model would get, from the company's lexicon. Every choice comes from
a stream of the request's node, unit and attempt, so that the same request always gets the same
words.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace

from rapidfuzz import process
from rapidfuzz.distance import Indel

from pipeline.world.streams import text_stream
from pipeline.write.behalf import HEARD
from pipeline.write.compose import PART, Composer
from pipeline.write.own_names import with_generation
from pipeline.write.promises import SLOW, is_answered_late
from pipeline.write.request import WriterAnswer, WriteRequest
from pipeline.write.rules import Rules
from pipeline.write.several import SEVERAL, pictures_with
from schemas.language import WrittenLanguage
from schemas.lexicon import Lexicon
from schemas.model import Beat
from verifiers.material import Fact, Facts, Unit, WrittenField

# Below the verifier's 0.95, so that what passes here passes there.
TOO_LIKE = 0.9
# Tries for a plain text, and as many again for one that goes on longer.
TRIES = 40


WriterParts = tuple[Lexicon, Mapping[str, Beat], WrittenLanguage | None]


class EmbeddedWriter:
    """A Writer that composes.

    Its name tells the lexicon's version, so that changed wordings are written anew and not taken
    from the ledger. `language` is the English in which it writes days, American without one.
    """

    def __init__(
        self,
        lexicon: Lexicon,
        beats: Mapping[str, Beat],
        language: WrittenLanguage | None = None,
    ) -> None:
        self.name = f"embedded {lexicon.version}"
        self.at_once = 1
        self._made_from = (lexicon, beats, language)
        self._composer = Composer(Rules(lexicon), beats, language)

    def __reduce__(self) -> tuple[type["EmbeddedWriter"], WriterParts]:
        """What it was made from: another process compiles the rules for itself."""
        return EmbeddedWriter, self._made_from

    def parameters(self, request: WriteRequest) -> Mapping[str, Fact]:
        """None: the name tells all that the words depend on."""
        return {}

    async def write(self, request: WriteRequest) -> WriterAnswer:
        """One entry a unit, each unlike the earlier ones."""
        return self.answer(request)

    def answer(self, request: WriteRequest) -> WriterAnswer:
        """The same without waiting."""
        earlier = list(request.earlier)
        entries: list[dict[str, object]] = []
        for unit in request.units:
            rng = text_stream(request.seed, request.node, f"{unit.id}|{request.attempt}")
            entry = self.entry(request, unit, earlier, rng)
            entries.append(entry)
            earlier += first_texts(entry)
        return WriterAnswer(tuple(entries))

    def entry(
        self,
        request: WriteRequest,
        unit: Unit,
        earlier: list[str],
        rng: random.Random,
    ) -> dict[str, object]:
        """One unit's entry, its first field unlike the earlier texts."""
        entry: dict[str, object] = {"unit": unit.id}
        before: dict[str, str] = {}
        for written in request.fields:
            if unit.parts:
                texts: list[str] = []
                heard = ""
                # Among all parts, so that one that is asked again alone keeps its number.
                for place, part in enumerate(unit.parts):
                    if part.get("given"):
                        heard += f"\n{part['given']}"
                        continue
                    late = is_answered_late(unit.parts, place)
                    turn = {**part, PART: place, HEARD: heard, SLOW: "yes" if late else ""}
                    turn[SEVERAL] = pictures_with(unit.parts, place)
                    text = self._unlike_turn(
                        request,
                        unit,
                        written,
                        turn,
                        earlier,
                        rng,
                    )
                    texts.append(text)
                    heard += f"\n{text}"
                entry[written.name] = texts
                continue
            held_against = [] if before else earlier
            text = self._unlike(
                request,
                unit,
                written,
                before,
                held_against,
                rng,
            )
            entry[written.name] = before[written.name] = text
        return entry

    def _unlike_turn(
        self,
        request: WriteRequest,
        unit: Unit,
        written: WrittenField,
        part: Facts,
        earlier: Sequence[str],
        rng: random.Random,
    ) -> str:
        """One turn of a conversation, not too like an earlier text if some tries find such a one.

        Earlier texts count where a request has some, as when a turn is asked again: turns of most
        conversations differ by their facts.
        """
        held_against = earlier if request.earlier else ()
        text = ""
        for tries in range(TRIES):
            text = self._turn(
                request,
                unit,
                written,
                part,
                rng,
                request.times + tries,
            )
            if not _is_like(text, held_against):
                break
        return text

    def _turn(
        self,
        request: WriteRequest,
        unit: Unit,
        written: WrittenField,
        part: Facts,
        rng: random.Random,
        attempt: int,
    ) -> str:
        """One turn of a conversation; without beats it is worded by the field's rule."""
        beats = str(part.get(written.beats) or "")
        if not beats:
            turn = replace(unit, facts={**unit.facts, **part})
            return self._composer.field(
                written,
                turn,
                request.company,
                {},
                rng,
            )
        facts = {**request.company, **unit.facts, **part, "attempt": attempt}
        return self._composer.turn(beats.split(","), facts, rng)

    def _unlike(
        self,
        request: WriteRequest,
        unit: Unit,
        written: WrittenField,
        before: Mapping[str, str],
        earlier: Sequence[str],
        rng: random.Random,
    ) -> str:
        """A text that is not too like an earlier one, if some tries find it.

        Where plain ones are used up, it is one that goes on longer.
        """
        text = self._single(
            request,
            unit,
            written,
            before,
            rng,
        )
        for tries in range(2 * TRIES):
            if not _is_like(text, earlier):
                break
            text = self._single(
                request,
                unit,
                written,
                before,
                rng,
            )
            if tries > TRIES:
                facts = {**request.company, **unit.facts}
                text += self._composer.tail(written.rule, facts, rng)
        return text

    def _single(
        self,
        request: WriteRequest,
        unit: Unit,
        written: WrittenField,
        before: Mapping[str, str],
        rng: random.Random,
    ) -> str:
        beats = str(unit.facts.get(written.beats) or "")
        if not beats:
            text = self._composer.field(
                written,
                unit,
                request.company,
                before,
                rng,
            )
            return with_generation(text, written, unit)
        again: dict[str, Fact] = {"channel": "email", "attempt": request.times}
        facts = {**request.company, **unit.facts, **again}
        return self._composer.turn(beats.split(","), facts, rng)


def first_texts(entry: Mapping[str, object]) -> list[str]:
    """The texts of an entry's first field."""
    values = [value for name, value in entry.items() if name != "unit"]
    if values and isinstance(values[0], list):
        return [str(text) for text in values[0]]
    return [str(value) for value in values[:1]]


def _is_like(text: str, earlier: Sequence[str]) -> bool:
    scorer = Indel.normalized_similarity
    return process.extractOne(text, earlier, scorer=scorer, score_cutoff=TOO_LIKE) is not None
