"""The embedded writer: no key, no network, no cost.

Answers the requests a model would get, from the company's lexicon.

Every choice comes from a stream of the request's node, unit and attempt, so the same request always
gets the same words.
"""

import random
from collections.abc import Mapping
from dataclasses import replace

from rapidfuzz import process
from rapidfuzz.distance import Indel

from pipeline.world.streams import text_stream
from pipeline.write.compose import Composer
from pipeline.write.request import Fact, Unit, WriterAnswer, WriteRequest, WrittenField
from pipeline.write.rules import Rules
from schemas.lexicon import Lexicon
from schemas.model import Beat

TOO_LIKE, TRIES = 0.9, 40


class EmbeddedWriter:
    """A Writer that composes.

    Its name tells the lexicon's version, so that changed wordings are written anew and not taken
    from the ledger.
    """

    def __init__(self, lexicon: Lexicon, beats: Mapping[str, Beat]) -> None:
        self.name = f"embedded {lexicon.version}"
        self.at_once = 1
        self._composer = Composer(Rules(lexicon), beats)

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
            entries.append(self.entry(request, unit, earlier, rng))
            earlier.append(
                str(next((entry for name, entry in entries[-1].items() if name != "unit"), ""))
            )
        return WriterAnswer(tuple(entries))

    def entry(
        self, request: WriteRequest, unit: Unit, earlier: list[str], rng: random.Random
    ) -> dict[str, object]:
        """One unit's entry, its first field unlike the earlier texts."""
        entry: dict[str, object] = {"unit": unit.id}
        unit = replace(unit, facts={**request.company, **unit.facts})
        for at, field in enumerate(request.fields):
            if unit.parts:
                entry[field.name] = [
                    self._turn(field, unit, at, rng)
                    for at, part in enumerate(unit.parts)
                    if not part.get("given")
                ]
            else:
                entry[field.name] = self._unlike(
                    field, unit, entry, earlier if at == 0 else [], rng
                )
        return entry

    def _turn(self, field: WrittenField, unit: Unit, at: int, rng: random.Random) -> str:
        part = unit.parts[at]
        return self._composer.turn(str(part[field.beats]).split(","), {**unit.facts, **part}, rng)

    def _unlike(
        self,
        field: WrittenField,
        unit: Unit,
        entry: Mapping[str, object],
        earlier: list[str],
        rng: random.Random,
    ) -> str:
        """A text that is not too like an earlier one, if some tries find it; where plain ones are
        used up, one that goes on longer.
        """
        text = self._single(field, unit, entry, rng)
        for tries in range(2 * TRIES):
            if (
                not earlier
                or process.extractOne(
                    text, earlier, scorer=Indel.normalized_similarity, score_cutoff=TOO_LIKE
                )
                is None
            ):
                break
            text = self._single(field, unit, entry, rng) + (
                self._composer.tail(field.rule, unit.facts, rng) if tries > TRIES else ""
            )
        return text

    def _single(
        self, field: WrittenField, unit: Unit, entry: Mapping[str, object], rng: random.Random
    ) -> str:
        if field.beats and unit.facts.get(field.beats):
            return self._composer.turn(
                str(unit.facts[field.beats]).split(","), {**unit.facts, "channel": "email"}, rng
            )
        written = {name: str(value) for name, value in entry.items() if name != "unit"}
        return self._composer.field(field.rule, unit.facts, written, rng, field.words)
