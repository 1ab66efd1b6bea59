"""Texts from facts by the grammar: a field from its rule, a mail or chat line from its beats.

It gives the same words for the same facts and stream. It knows the lexicon's rules and the schema's
beats, no files and no requests.
"""

import json
import random
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from zlib import crc32

from pipeline.write.behalf import HEARD, names, person_of, told_of
from pipeline.write.coherence import clashes, foretells, is_echoed, is_told, is_unsaid, takes_up
from pipeline.write.facts_as_written import (
    as_written,
    from_today,
    in_business_days,
    with_tomorrow,
)
from pipeline.write.following import NAMED, alone, following, worded_as
from pipeline.write.grammar import LinesOf, Phrase, dealt, expand
from pipeline.write.idiolect import kept_whole, worded_by
from pipeline.write.joining import LEADS, joined_by, led, related
from pipeline.write.kinds import as_called, called
from pipeline.write.once import repeats, signed_after, without_hanging
from pipeline.write.paragraphs import CLOSINGS, GREETINGS, in_paragraphs
from pipeline.write.plain import PlainText, WordRule
from pipeline.write.promises import SLOW, without_day
from pipeline.write.referring import (
    in_short,
    is_named,
    named_once,
    pointed_back,
    refer_back,
    told_of_own,
)
from pipeline.write.rules import Rules, candidates
from pipeline.write.several import SEVERAL, told_as_several
from pipeline.write.slots import as_texts, phone_end
from pipeline.write.splices import unspliced
from pipeline.write.stories import COMPLAINS, STAKE, STORY, as_story
from pipeline.write.style import (
    ended,
    habit_of,
    sentences,
    tidy,
    typed_number,
    written_date,
)
from pipeline.write.tact import (
    is_announcement,
    is_tactless,
    is_told_sum,
    pointed_once,
    unannounced,
)
from pipeline.write.typing import (
    PHONES,
    KeptWords,
    manner_now,
    typed_by_agent,
    typed_line,
    typed_mail,
    with_capitals,
)
from schemas.beats import beat_named
from schemas.incidents import mark_pattern, plan_for
from schemas.language import WrittenLanguage
from schemas.model import Beat
from verifiers.material import Facts, Unit, WrittenField
from verifiers.transcript import CUSTOMER

# After these the same rule follows in other words.
OTHERWISE_AFTER = frozenset({"a.again", "a.rephrase", "a.why", "a.term_1"})
# What tells a sign, such as the day on which a payment was sent.
SIGN = "issue.sign."
# Acts whose rules hold phrases, and the rule of the sentence around such a phrase ({said}).
WRAPPED = {"issue.echo": "a.echo"}
# How the rules begin that word such an act as a sentence of its own, where a lexicon has one.
HEARD_WHOLE = "issue.heard"
# The rule of the people that customers work with.
COLLEAGUE = "coworker"
# The act that asks whether something offered is wanted.
ASKS_WHETHER = "a.offer.open"
# What offers something, and among how many acts: its sum and its day may stand behind it.
OFFERS = ("a.offer", "a.alternative")
OFFERED_WITHIN = 4
# What an offer says that asks for an answer by itself.
ASKED_ALREADY = re.compile(
    r"\?$|\b(?:say (?:yes|so)|if you(?:'d)? (?:like|want|agree)"
    r"|let me know|tell me|write (?:me|back)|reply|send me|a (?:short |quick )?yes)\b",
    re.IGNORECASE,
)
# The act that says after what happened which product it is, should that be open still.
SAYS_WHICH = "c.open"
# The act by which a customer asks for help, and how who has asked ends what they tell.
ASKS_FOR_HELP = "c.wish.open"
HAS_ASKED = re.compile(r"\?$|\bplease\b[^.?!]*[.?!]?$", re.IGNORECASE)
# What a customer types above a mail.
SUBJECT = "issue.subject"
# The act by which a customer's first mail tells the number of the order.
TELLS_NUMBER = ("c.order", "c.order.below")
# Facts that keep their capitals even where somebody types without any.
NAMES = ("product", "customer", "firm", "agent", "agent_first", "order_month", "city")
DESK_NOTES = frozenset({"issue.summary", "issue.note"})
"""Acts in the third person: whoever takes a call writes them down, and types like a desk."""
LONGEST_CHAT_ASIDE = 24  # words; nobody types essays in a chat
# Of these the last sentence is the one that matters: the question, the answer, the way to do it.
WHOLE = (
    "a.",
    "c.asks",
    "issue.ask",
    "issue.cause",
    "issue.mend",
    "issue.request",
    "issue.resolve",
    "issue.arrives",
)
# The facts that number a case among all, and among those of its issue and channel.
OF_ALL = "nth"
OF_ISSUE = "nth_of_issue"
# The fact that numbers each act of a turn among all of its kind, and the one for a single act.
RANKS, RANK = "ranks", "rank"
# Where a rule's wordings begin is spread over so many numbers; a further try moves on as far.
SPREAD = 9973
# Cases after which a rule within a rule skips a line.
APART = 8
# What is told word by word, for somebody's answer hangs on it.
VERBATIM = ("a.term",)
# What stands for itself in a line of its own, without an end mark.
BARE = frozenset({"c.order.below"})
# What agents keep as macros, and how many of each.
MACROS = frozenset({"a.hello", "a.welcome", "a.hold", "a.bye"})
MACROS_A_PERSON = 2
# Facts in whose place a rule of the same name stands where they are empty.
FILLED_BY_RULES = ("waited",)
# The act that says for whom somebody writes, and the fact that holds whether they are named by now.
FOR_WHOM = "c.behalf"
WEARER_NAMED = "wearer_named"
# Acts in which who writes for another person tells of that one.
OF_WEARER = ("issue.complaint", "issue.story", "issue.sign", "issue.impact", "issue.stake")
# Acts of a mail that are told in whole sentences, and what shows roughly that a sentence is one.
TOLD_WHOLE = (STORY, COMPLAINS, "issue.sign", "issue.impact", "issue.cause", "option.steps")
SUBJECT_OR_VERB = re.compile(
    r"\b(?:I|it|they|we|you|he|she|there|is|are|was|were|has|have|had|do|does|did|can|could|will"
    r"|would|comes|came|goes|went|looks|says|said|shows|keeps|gets|got)\b|n't\b|'s\b|'re\b|'ve\b",
    re.IGNORECASE,
)
WHOLE_TRIES = 8
# As many more for words of this very case, where all so far were of another one's.
FITTING_TRIES = 32
# Acts that come several times in one conversation, in other words each time.
REPEATED = frozenset(
    {
        "c.chase",
        "c.chase.again",
        "a.late",
        "a.still",
        "a.wait",
        "a.close",
        "a.close.refused",
        "a.ack",
        "a.intro",
        "a.intro.team",
        "a.transfer",
        "a.transfer.team",
    }
)
PART = "part"
"""The fact that numbers the turns of a conversation from 0."""
TRIES = 12  # to find a text in which no sentence stands twice


@dataclass(frozen=True, slots=True)
class Composer:
    """The embedded writer's hand: compiled rules and the beats of the schema.

    `language` says how days are written, American English without one.
    """

    rules: Rules
    beats: Mapping[str, Beat]
    language: WrittenLanguage | None = None

    def field(
        self,
        written: WrittenField,
        unit: Unit,
        company: Mapping[str, str],
        before: Mapping[str, str],
        rng: random.Random,
    ) -> str:
        """One text by the field's rule, or a plain one that names the unit's facts.

        `before` holds the unit's texts in other fields, which a rule may use like facts.
        """
        facts = {**company, **unit.facts}
        texts = {**as_texts(facts), **before}
        if written.rule == SUBJECT and texts.get("order_number"):
            texts["order_number"] = typed_number(texts["order_number"], texts.get("customer", ""))
        texts |= self._blocks(facts, texts, rng)
        if not self._known(written.rule, texts):
            return PlainText(written, unit, texts, self._worder(rng), rng).write()
        for _ in range(TRIES):
            text = self._distinct_sentences(written.rule, texts, _traits(facts), rng)
            if not _forestalls(written.rule, text, texts):
                break
        return text

    def tail(
        self,
        rule: str,
        facts: Facts,
        rng: random.Random,
    ) -> str:
        """How a text by that rule may go on (`<rule>_tail`).

        It is empty where the lexicon doesn't say.
        """
        texts = as_texts(facts)
        name = f"{rule}_tail"
        if not self._known(name, texts):
            return ""
        for _ in range(TRIES):
            text = self._expanded(name, texts, (), rng)
            if not _forestalls(rule, text, texts):
                break
        return text

    def turn(self, beats: Sequence[str], facts: Facts, rng: random.Random) -> str:
        """One mail or chat line that says its beats in order."""
        agent = facts.get("speaker") == "Agent"
        habit = habit_of(str(facts.get("agent" if agent else "customer", "")))
        texts = as_texts(facts)
        texts["phone_end"] = texts.get("phone_end") or phone_end(texts)
        texts |= as_written(texts, rng.random())
        texts["city_line"] = self._city_line(texts)
        for name in FILLED_BY_RULES:
            if not texts.get(name):
                texts.pop(name, None)
        if texts.get("order_number"):
            person = texts.get("agent" if agent else "customer", "")
            texts["order_number"] = typed_number(texts["order_number"], person)
        if not agent and "order_date" in texts:
            texts["order_date"] = written_date(texts["order_date"], habit, self.language)
        traits = [str(facts.get("tone", ""))]
        if agent:
            traits.insert(0, str(facts.get("style", "")))
        in_short(texts)
        own = dict(texts)
        said = _by_near_days(self._said(beats, texts, traits, rng), texts)
        if agent:
            said = [(beat, in_business_days(beat, text, texts)) for beat, text in said]
        else:
            # What one act says belongs together; what the next one says is another matter.
            person = str(facts.get("customer", ""))
            said = [(beat, joined_by(person, text, rng)) for beat, text in said]
        is_chat = facts.get("channel") == "chat"
        if is_chat:
            text = tidy(" ".join(text for _, text in said))
            # Customers run their lines together as they type; agents are paid to be clear.
            text = unspliced(text) if agent else text
        else:
            text = unspliced(in_paragraphs(said, rng))
            text = told_as_several(text) if texts.get(SEVERAL) else text
        if not DESK_NOTES.isdisjoint(beats):
            return text
        text = told_of_own(text, own, agent)
        if not agent:
            text = pointed_back(text, own.get("thing", ""), own)
        kept = [texts.get(name, "") for name in NAMES]
        texts.pop(HEARD, "")
        known = (kept, [*texts.values(), *self._marks_in(text, texts)])
        if agent:
            return _typed_by_agent(text, beats, texts, known, rng)
        return self._typed_by_customer(text, texts, known, rng)

    def _typed_by_customer(
        self,
        text: str,
        texts: Mapping[str, str],
        known: KeptWords,
        rng: random.Random,
    ) -> str:
        """What a customer types: by their hand, on the device of that day."""
        text = named_once(text, self.rules.lexicon.rules.get(COLLEAGUE, ()))
        in_mail = texts.get("channel") != "chat"
        whose, on_phone = texts.get("customer", ""), texts.get("device") in PHONES
        named = texts.get("manner", ""), texts.get("tone", "")
        manner = manner_now(*named, whose, on_phone, in_mail)
        if not in_mail:
            return typed_line(text, manner, known, rng)
        # A mail program adds the name below, and a name of the catalog is copied from its page.
        names = texts.get("customer", ""), texts.get("product", "")
        whole = [name for name in names if name and name in text]
        return with_capitals(typed_mail(text, manner, known, rng), whole)

    def _marks_in(self, text: str, texts: Mapping[str, str]) -> list[str]:
        """The words of a text by which it shows what is seen, as they stand in it."""
        plan = plan_for(self.rules.lexicon.world.incidents, texts.get("issue_key", ""))
        small = text.lower()
        if plan is None or len(small) != len(text):
            return []
        marks: list[str] = []
        for values in plan.signs.values():
            for known in values.values():
                marks += known.marks
        found = mark_pattern((*marks,)).finditer(small) if marks else ()
        return [text[mark.start() : mark.end()] for mark in found]

    def _city_line(self, texts: Mapping[str, str]) -> str:
        """Where somebody lives, as it stands below their name: nobody abroad adds a state to it."""
        city = texts.get("city", "")
        state = texts.get("state", "")
        return city if self.language else f"{city}, {state}"

    def _said(
        self,
        beats: Sequence[str],
        texts: dict[str, str],
        traits: Sequence[str],
        rng: random.Random,
    ) -> list[tuple[str, str]]:
        """The acts of a turn with their words; some are joined to the act before."""
        is_agent = texts.get("speaker") == "Agent"
        in_mail = texts.get("channel") != "chat"
        said: list[tuple[str, str]] = []
        link = ""
        if in_mail:
            beats = self._told_as_one(beats, texts)
        else:
            # A line of a chat goes on from the one before it.
            _note_wearer(texts.get(HEARD, ""), texts)
        for beat in beats:
            if self._is_said_already(beat, beats, said, texts, link):
                continue
            link = self._link(said, beat, texts) if is_agent else ""
            text = self._whole(link or beat, texts, traits, rng)
            _note_wearer(text, texts)
            incidents = self.rules.lexicon.world.incidents
            if said and is_echoed(said[-1][0], beat, text, texts, incidents):
                said.pop()
            if is_agent and in_mail:
                text = self._once(link or beat, text, said, texts, traits, rng)
                if is_announcement(beat, text, beats):
                    # It says nothing else, and what was found comes next.
                    continue
                text = unannounced(beat, text, beats)
                text = without_day(beat, text) if texts.get(SLOW) else text
            if beat.startswith((COMPLAINS, STORY)):
                refer_back(text, texts)
            if beat in CLOSINGS and said:
                text = signed_after(said[-1][1], text)
            if said and said[-1][0] in LEADS:
                act, lead = said.pop()
                text = led(lead, text, act)
            elif said and is_agent and not link:
                both = related(*said[-1], beat, text, rng)
                text = both or text
                said = said[:-1] if both else said
            said.append((beat, text))
            if beat in OTHERWISE_AFTER:
                texts["attempt"] = str(int(texts.get("attempt") or 0) + 1)
        return pointed_once(said) if is_agent and in_mail else said

    def _told_as_one(self, beats: Sequence[str], texts: Mapping[str, str]) -> Sequence[str]:
        """A mail's acts, of which some are told as a story, and some stand alone."""

        def known(act: str) -> bool:
            return self._known(act, texts)

        return alone(as_story(beats, texts.get("verbosity", ""), known), known)

    def _is_said_already(
        self,
        beat: str,
        beats: Sequence[str],
        said: Sequence[tuple[str, str]],
        texts: dict[str, str],
        link: str,
    ) -> bool:
        """Whether what stands before an act in its turn, or beside it, has told what it tells."""
        if beat == FOR_WHOM and texts.get(WEARER_NAMED):
            return True
        if beat == SAYS_WHICH and is_named(texts):
            return True
        complaint = _complaint(said)
        if is_told(beat, complaint, beats, texts, self.rules.lexicon.world.incidents):
            return True
        if beat == STAKE and texts.get("stake", "") in complaint:
            return True
        if beat == ASKS_FOR_HELP and HAS_ASKED.search(complaint):
            return True
        if texts.get("speaker") == "Agent" and is_told_sum(beat, texts, said):
            return True
        # Who has offered it by a question, or said how to answer, doesn't ask once more.
        return beat == ASKS_WHETHER and bool(said) and bool(link or _has_asked(said))

    def _link(self, said: Sequence[tuple[str, str]], beat: str, texts: Mapping[str, str]) -> str:
        """The rule by which an act follows from the one before it; "" for none."""
        if not said:
            return ""
        plan = plan_for(self.rules.lexicon.world.incidents, texts.get("issue_key", ""))
        cause = plan.causes.get(texts.get("cause", "")) if plan else None
        owes = cause is None or cause.ends == ("remedy",)
        named = bool(texts.get("back")) and texts["back"] in said[-1][1]
        in_mail = texts.get("channel") != "chat"
        # A line of a chat takes up nothing but the sum that it has just named: "it".
        return following(
            said[-1][0],
            beat,
            owes,
            lambda rule: (
                self._known(rule, texts) and (named if rule.endswith(f".{NAMED}") else in_mail)
            ),
        )

    def _once(
        self,
        beat: str,
        text: str,
        said: Sequence[tuple[str, str]],
        texts: dict[str, str],
        traits: Sequence[str],
        rng: random.Random,
    ) -> str:
        """An act's words without what the mail has said already, as far as it has others."""
        if beat in GREETINGS or beat in CLOSINGS:
            return text
        before = [words for act, words in said if act not in GREETINGS]
        for _ in range(WHOLE_TRIES):
            if not repeats(text, before):
                return text
            text = without_hanging(text)
            if not repeats(text, before):
                return text
            texts["attempt"] = str(int(texts.get("attempt") or 0) + 1)
            text = self._whole(beat, texts, traits, rng)
        return without_hanging(text)

    def _whole(
        self,
        beat: str,
        texts: dict[str, str],
        traits: Sequence[str],
        rng: random.Random,
    ) -> str:
        """The words of an act that fit the case, in mails in whole sentences, where some are.

        A finding names what somebody has answered to the desk's question, as far as the lexicon
        has words for it.
        """
        text = self._of_wearer(beat, texts, traits, rng)
        in_whole = texts.get("channel") != "chat" and beat.startswith(TOLD_WHOLE)
        incidents = self.rules.lexicon.world.incidents
        fitting = ""
        for tried in range(FITTING_TRIES):
            if fitting and tried >= WHOLE_TRIES:
                break
            whole = not in_whole or all(map(SUBJECT_OR_VERB.search, sentences(text)))
            if whole and not self._is_for_another(beat, text, texts):
                if takes_up(beat, text, texts, incidents):
                    return text
                fitting = fitting or text
            texts["attempt"] = str(int(texts.get("attempt") or 0) + 1)
            text = self._of_wearer(beat, texts, traits, rng)
        return fitting or text

    def _of_wearer(
        self,
        beat: str,
        texts: dict[str, str],
        traits: Sequence[str],
        rng: random.Random,
    ) -> str:
        """The words of an act, told of the person for whom the customer writes, if of any."""
        text = self._beat(beat, texts, traits, rng)
        if not beat.startswith(OF_WEARER) or texts.get("speaker") == "Agent":
            return text
        person = person_of(texts)
        if person is None:
            return text
        told, _ = told_of(text, person, bool(texts.get(WEARER_NAMED)))
        return told

    def _is_for_another(self, beat: str, text: str, texts: Mapping[str, str]) -> bool:
        """Whether an act's words are those of another case, product or mood."""
        world = self.rules.lexicon.world
        group = texts.get("group_key", "")
        unsaid = is_unsaid(text, texts.get("category_key", ""), world, group)
        clashing = unsaid or clashes(beat, text, texts, world.incidents)
        early = clashing or foretells(beat, text, texts, world.incidents)
        return early or is_tactless(beat, text, texts)

    def _beat(
        self,
        name: str,
        texts: Mapping[str, str],
        traits: Sequence[str],
        rng: random.Random,
    ) -> str:
        found, _ = beat_named(self.beats, name)
        beat = found or Beat(name, name)
        facts = _with_rank(texts, name)
        if beat.uses:
            used = {used: texts.get(stands, "") for used, stands in beat.uses.items()}
            facts = {**facts, **used}
        by_kind = called(name, texts)
        if by_kind:
            facts = {**facts, "product": by_kind, "products": by_kind}
        rule = worded_as(
            name,
            beat.name,
            lambda named: self._known(named, facts, here=True),
            lambda named: self._known(named, facts),
        )
        wrap = WRAPPED.get(beat.name)
        whole = name.replace(beat.name, HEARD_WHOLE, 1)
        if wrap and self._known(whole, facts):
            rule = whole
        elif wrap:
            facts = {**facts, "said": self._dealt(name, facts, traits, rng)}
            rule = wrap
        if beat.rules:
            rule = rng.choice(beat.rules)
            if not self._known(rule, facts):
                rule = beat.rules[0]
        if name in GREETINGS or name in CLOSINGS or name in BARE:
            habit = _own_habit(name, facts)
            return self._expanded(rule, facts, traits, habit, always=True)
        if name in MACROS:
            rng = _own_habit(f"{name}|{rng.randrange(MACROS_A_PERSON)}", facts)
            return ended(tidy(self._expanded(rule, facts, traits, rng)))
        text = self._dealt(rule, facts, traits, rng)
        person = "customer" if facts.get("speaker", CUSTOMER) == CUSTOMER else "agent"
        if not name.startswith(VERBATIM):
            whose = str(facts.get(person, ""))
            text = worded_by(whose, tidy(text), kept_whole(facts), by_agent=person == "agent")
        text = as_called(name, text, texts)
        if facts.get("channel") == "chat" and not beat.must and not beat.name.startswith(WHOLE):
            text = _short(text)
        return ended(tidy(text))

    def _expanded(
        self,
        rule: str,
        facts: Mapping[str, str],
        traits: Sequence[str],
        rng: random.Random,
        always: bool = False,
    ) -> str:
        """One wording of a rule; raises SchemaError where the lexicon has no such rule."""
        choose = self.rules.chooser(facts, traits, rng, always)
        return expand(rng.choice(choose(rule)), facts, choose, rng)

    def _dealt(
        self,
        rule: str,
        facts: Mapping[str, str],
        traits: Sequence[str],
        rng: random.Random,
    ) -> str:
        """A wording that other cases have not, as far as the rule's lines go.

        The number of the act, or else of the case, not chance, decides which; an issue's words are
        dealt out among its own cases. Raises SchemaError where the lexicon has no such rule.
        """
        choose = self.rules.chooser(facts, traits, rng)
        number = facts.get(RANK) or facts.get(OF_ISSUE if rule.startswith("issue.") else OF_ALL)
        if not number:
            return expand(rng.choice(choose(rule)), facts, choose, rng)
        start = crc32(f"{rule}|{facts.get('issue_key', '')}".encode()) % SPREAD
        again = SPREAD * int(facts.get("attempt") or 0)
        if rule in REPEATED and not facts.get(RANK):
            # The spread is a prime number, so each turn of a conversation has a line of its own.
            again += SPREAD * int(facts.get(PART) or 0)
        turn = int(number) + again
        return expand(dealt(choose(rule), start + turn), facts, _in_turn(choose, turn, facts), rng)

    def _worder(self, rng: random.Random) -> WordRule:
        """A function that words a rule by facts, without any trait."""
        return lambda rule, facts: self._distinct_sentences(rule, facts, (), rng)

    def _known(
        self,
        rule: str,
        facts: Mapping[str, str],
        here: bool = False,
    ) -> bool:
        """Whether there is such a rule; with `here`, one of this channel's own."""
        names = candidates(rule, facts)
        if here and facts.get("channel") == "chat":
            names = [name for name in names if name.startswith("chat.")]
        return any(self.rules.has(name) for name in names)

    def _blocks(
        self,
        facts: Facts,
        texts: Mapping[str, str],
        rng: random.Random,
    ) -> dict[str, str]:
        """The figures of an article as facts of their own, and its options as a block of sentences.

        `options_block` has a sentence for every option that the article must state.
        """
        made: dict[str, str] = {}
        for name, value in json.loads(str(facts.get("figures") or "{}")).items():
            made[name] = f"{value:.15g}"
        options = json.loads(str(facts.get("options") or "[]"))
        if options:
            made["options_block"] = " ".join(self._option(texts, option, rng) for option in options)
        return made

    def _option(
        self,
        texts: Mapping[str, str],
        option: Mapping[str, object],
        rng: random.Random,
    ) -> str:
        facts = {
            **texts,
            "option_key": str(option["key"]),
            "option_name": str(option["name"]),
            "limit": str(option["limit"]),
        }
        return ended(tidy(self._expanded("option.article", facts, (), rng)))

    def _distinct_sentences(
        self,
        rule: str,
        texts: Mapping[str, str],
        traits: Sequence[str],
        rng: random.Random,
    ) -> str:
        """A text in which no sentence stands twice, nor a word of a short one, if TRIES find it."""
        text = ""
        for _ in range(TRIES):
            text = tidy(self._expanded(rule, texts, traits, rng))
            pieces = sentences(text) if "." in text else text.lower().split()
            starts = [" ".join(piece.split()[:4]) for piece in pieces]
            if len(set(starts)) == len(starts):
                break
        return text


def _by_near_days(
    said: Sequence[tuple[str, str]], texts: Mapping[str, str]
) -> list[tuple[str, str]]:
    """The acts with near days called as people call them; a weekday may be what tells a sign."""
    named: list[tuple[str, str]] = []
    for beat, text in said:
        told = with_tomorrow(text)
        named.append((beat, told if beat.startswith(SIGN) else from_today(told, texts)))
    return named


def _typed_by_agent(
    text: str,
    beats: Sequence[str],
    texts: Mapping[str, str],
    known: KeptWords,
    rng: random.Random,
) -> str:
    """What an agent types by hand; a text that they keep for it has no slips."""
    return typed_by_agent(
        text,
        texts.get("agent", ""),
        texts.get("style", ""),
        known,
        rng,
        in_mail=texts.get("channel") != "chat",
        by_hand=not MACROS.issuperset(beats),
    )


def _forestalls(rule: str, text: str, texts: Mapping[str, str]) -> bool:
    """Whether a subject line tells the order's number, and the mail does not.

    The agent will ask for it, or the customer send it later.
    """
    tells = any(beat in TELLS_NUMBER for beat in texts.get("beats", "").split(","))
    if rule != SUBJECT or texts.get("channel") != "email" or tells:
        return False
    number = texts.get("order_number", "").strip("#").lstrip("0")
    return bool(number) and number in text


def _has_asked(said: Sequence[tuple[str, str]]) -> bool:
    """Whether what was said last, or the offer before it, asks for an answer by itself."""
    offers = [text for act, text in said[-OFFERED_WITHIN:] if act.startswith(OFFERS)]
    return any(ASKED_ALREADY.search(text) for text in (said[-1][1], *offers))


def _complaint(said: Sequence[tuple[str, str]]) -> str:
    """How a message told the problem, before its signs; "" where it has not."""
    return " ".join(text for beat, text in said if beat.startswith((COMPLAINS, STORY)))


def _note_wearer(text: str, texts: dict[str, str]) -> None:
    """Notes that a customer has named the person for whom they write."""
    if texts.get("speaker") == "Agent" or texts.get(WEARER_NAMED):
        return
    person = person_of(texts)
    if person and names(text, person):
        texts[WEARER_NAMED] = "yes"


def _in_turn(lines_of: LinesOf, turn: int, facts: Mapping[str, str]) -> LinesOf:
    """The lines of the rules within a rule, one each: they take turns among the cases, too.

    Drawn by chance, every fifth of some hundred cases had a sentence of another one.
    """
    told = f"{facts.get('channel', '')}|{facts.get('issue_key', '')}"
    # Of two rules with as many lines the same ones would meet each time.
    apart = turn + turn // APART
    used: Counter[str] = Counter()

    def next_of(name: str) -> Sequence[Phrase]:
        used[name] += 1
        start = crc32(f"{name}|{told}".encode()) % SPREAD
        return (dealt(lines_of(name), start + apart + SPREAD * used[name]),)

    return next_of


def _with_rank(facts: Mapping[str, str], act: str) -> Mapping[str, str]:
    """The facts of a turn with the number of one of its acts, where the plan numbers them."""
    acts = facts.get("beats", "").split(",")
    ranks = facts.get(RANKS, "").split(",")
    if act not in acts or len(ranks) != len(acts):
        return facts
    return {**facts, RANK: ranks[acts.index(act)]}


def _own_habit(name: str, facts: Mapping[str, str]) -> random.Random:
    """The stream of a greeting, a closing or a macro: people have their own, and keep to them."""
    person = facts.get("agent" if name.startswith("a.") else "customer", "")
    return random.Random(f"{name}|{person}")


def _traits(facts: Facts) -> list[str]:
    return [str(facts[name]) for name in ("kind", "tone") if facts.get(name)]


def _short(text: str) -> str:
    """The first sentences of an aside, up to LONGEST_CHAT_ASIDE words."""
    kept: list[str] = []
    words = 0
    for sentence in sentences(text):
        words += len(sentence.split())
        if kept and words > LONGEST_CHAT_ASIDE:
            break
        kept.append(sentence)
    return " ".join(kept)
