"""What a company's lexicon lacks: rules, slots and facts, found without writing a single text.

Begins at the written fields and the dialogue acts of a schema, and follows each slot of each line:
it is a fact of the object type, or a rule that must be there, for each key of the world. Draws
nothing and writes nothing.
"""

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pipeline.company.faults import FileFault
from pipeline.company.lengths import A_BLOCK, A_FACT, A_FIGURE, BLOCKS, longest
from pipeline.company.lexicon_map import CHAT, LexiconMap, unreadable
from pipeline.company.next_rules import next_rules
from pipeline.company.scenes import AskedRule, Scene, keys_by_head, scenes_of
from pipeline.company.unworded import unworded
from pipeline.world.org import RunContext
from pipeline.write.facts_as_written import AS_WRITTEN
from pipeline.write.grammar import Phrase, slots, sure_slots
from pipeline.write.rules import ENQUIRY, KEYED, candidates
from pipeline.write.slots import DETAILS
from schemas.errors import OrgweaveError
from schemas.incidents import ANY, NEEDED_NAMES, IncidentPlan, missing_rules
from schemas.lexicon import WORLD_FILE, Lexicon
from schemas.positions import holds, line_of, place_of_key

UNASKED = ("task.", "policy.", "any.")
"""Names of rules that nothing in a schema asks for, such as those of a benchmark's queries."""

OF_A_CAUSE = ("issue.cause", "issue.advice")
"""Acts whose rules name the cause: `issue.leak.cause.seal`."""

TAIL = "_tail"
"""A rule that says how a text of another rule may go on has this at the end of its name."""

SAYS_AS_WELL = {
    **{written: (fact,) for fact, written in AS_WRITTEN.items()},
    "term": ("shown_1", "shown_2"),
}
"""A fact of a line -> the facts that it has within it: `due` is `due_date` as people write it, and
the answer to a question holds the figure that was asked for.
"""

SHOWN_FACTS = 12
"""More names would hide the message."""


def word_faults(
    setting: RunContext,
    lexicon: Lexicon,
    own: Sequence[Path],
    profile: Path,
) -> list[FileFault]:
    """All that keeps the embedded writer from wording the company's texts.

    `own` are the folders of the lexicon's own layers, and `profile` is the profile's file.
    """
    walk = WordWalk(setting, LexiconMap(lexicon, own), profile)
    return walk.faults()


def _in_chats(names: Sequence[str]) -> list[str]:
    """The names of the same rules for chats alone."""
    return [f"chat.{name}" for name in names]


def _in_all(groups: Sequence[frozenset[str]]) -> frozenset[str]:
    """What is in each of the groups; nothing where there is no group."""
    if not groups:
        return frozenset()
    return frozenset.intersection(*groups)


def _may_be_fact(rule: str) -> bool:
    """Whether a fact may have the rule's name, and so be taken in its place: `product`."""
    return rule.isidentifier()


def _heard(issue: str, plan: IncidentPlan) -> Iterator[str]:
    """Yields the rules by which an agent may say a sign back; none has to be there."""
    for sign, values in plan.signs.items():
        for value in values:
            rule = f"issue.{issue}.heard.{sign}.{value}"
            yield from (rule, *_in_chats([rule]))


def _in_order(fault: FileFault) -> tuple[bool, Path, int]:
    return fault.remark, fault.file, fault.line


@dataclass(frozen=True, slots=True)
class NamedRule:
    """A rule that is needed: the names that would do, the most special first, and its key."""

    names: tuple[str, ...]
    part: str = ""
    key: str = ""


@dataclass(slots=True)
class WordWalk:
    """Follows all slots of all rules that a schema asks for, and notes what isn't there.

    `unfilled` holds the rule, the slot and the scene of each slot that nothing fills, `unnamed` the
    rule and the fact of each line of one's own that doesn't name what it must, and `too_short` how
    many characters the lines of a rule of one's own need, where one can't have as many.
    """

    setting: RunContext
    words: LexiconMap
    profile: Path
    _keys: Mapping[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict)
    _seen: set[tuple[str, str]] = field(default_factory=set)
    _reached: set[str] = field(default_factory=set)
    _found: dict[str, FileFault] = field(default_factory=dict)
    _sure: dict[tuple[str, str], frozenset[str]] = field(default_factory=dict)
    unfilled: set[tuple[str, str, str]] = field(default_factory=set)
    unnamed: set[tuple[str, str]] = field(default_factory=set)
    too_short: dict[str, int] = field(default_factory=dict)
    _lengths: dict[tuple[str, str], int] = field(default_factory=dict)

    @property
    def visited(self) -> frozenset[tuple[str, str]]:
        """The rules that were followed, each with the name of the scene."""
        return frozenset(self._seen)

    def faults(self) -> list[FileFault]:
        """All faults by file and line, remarks last."""
        try:
            self._keys = keys_by_head(self.setting)
        except OrgweaveError as error:
            return [FileFault(self.profile, 1, str(error))]
        for fault in unworded(self.setting, self.words.lexicon):
            self._found[str(fault)] = fault
        for scene in scenes_of(self.setting):
            for asked in scene.asks:
                self._ask(scene, asked)
        self._incidents()
        self._asked_next()
        self._policies()
        self._note_unused()
        return sorted(self._found.values(), key=_in_order)

    def _incidents(self) -> None:
        """Each sign and each cause of an incident has words."""
        for issue, plan in self.setting.world.incidents.items():
            for name in missing_rules(issue, plan, self.words.lexicon.rules):
                rule = NamedRule((name,))
                place = self._in_incident(issue, name)
                self._miss(rule, f"incidents.{issue}", place)
            self._reached.update(_heard(issue, plan))

    def _asked_next(self) -> None:
        """Each question that may follow an answer or a remedy has its words, and its answer's."""
        for asked in next_rules(self.setting.world):
            if self._first(asked.names) is None:
                self._miss(NamedRule(asked.names), asked.asker, (self.profile, 1))

    def _in_incident(self, issue: str, name: str) -> tuple[Path, int]:
        """Where the sign or the cause is stated that a rule of an incident words."""
        kind, *steps = name.partition(f"issue.{issue}.")[2].split(".")
        part = "causes" if kind in ("cause", "advice") else "signs"
        place = ("incidents", issue, part, *steps) if steps else ("incidents", issue)
        for file in self._own_worlds():
            if holds(file, place[:2]):
                return file, line_of(file, place)
        return self.profile, 1

    def _ask(self, scene: Scene, asked: AskedRule) -> None:
        """Follows a rule that a field or a dialogue act asks for."""
        if asked.goes_on:
            self._follow_all(asked.name, scene)
            return
        file = Path(scene.file)
        needed = self._needed(asked.name, scene)
        worded = [rule for rule in needed if self._first(rule.names)]
        for rule in needed:
            if self._first(rule.names):
                self._follow(rule, scene)
                continue
            # A field that no rule words at all is told already.
            is_new = asked.act and not self._spoken(rule)
            if worded or is_new:
                place = (file, line_of(file, asked.place))
                self._miss(rule, asked.asker, place)
        for rule in worded:
            for fact in asked.must:
                self._demand(rule, fact, scene, asked)
            if asked.least:
                self._fill(
                    self._first(rule.names) or "",
                    asked.least,
                    scene,
                    asked,
                    frozenset(),
                )

    def _follow_all(self, name: str, scene: Scene) -> None:
        """Follows each rule of an act with arguments: `c.evidence.photo` is one of `c.evidence`.

        Which of them there must be is known when a lexicon is read: its incidents name them. What
        is said of a cause is said of one by name, so `issue.<issue>.cause` is asked for by nobody.
        """
        head, _, rest = name.partition(".")
        stem = re.escape(name)
        if head in KEYED:
            stem = rf"{head}\.\w+\.{rest}"
        in_chat = re.escape(CHAT)
        more = r"\..+" if name in OF_A_CAUSE else r"(?:\..+)?"
        own = re.compile(rf"(?:{in_chat})?{stem}{more}")
        for plain in self.words.plain_names():
            if own.fullmatch(plain) and not self._is_of_no_issue(plain):
                rule = NamedRule((plain,))
                self._follow(rule, scene)

    def _is_of_no_issue(self, plain: str) -> bool:
        """Whether a rule words an issue that this world doesn't have: nobody asks for it, and its
        details are unknown here.
        """
        head, _, rest = plain.removeprefix(CHAT).partition(".")
        key, _, more = rest.partition(".")
        if head != "issue" or not more or key == ANY or f"{key}_".startswith(ENQUIRY):
            return False
        return key not in {issue.key for issue in self.setting.world.issues}

    def _spoken(self, rule: NamedRule) -> bool:
        """Whether it is said in chats alone."""
        return self._first(_in_chats(rule.names)) is not None

    def _needed(self, name: str, scene: Scene) -> list[NamedRule]:
        """The rules that a general name stands for in a scene: one for each key and topic."""
        head, _, rest = name.partition(".")
        fact = KEYED.get(head)
        if fact is None or not rest or fact not in scene.facts:
            rule = NamedRule(tuple(candidates(name, {})))
            return [rule]
        part, keys = self._keys[head]
        needed = []
        for key in keys:
            for topic in self._topics(key, rest, scene):
                facts = {fact: key, "topic": topic}
                names = tuple(candidates(name, facts))
                if self._first(names) is None:
                    names += self._by_group(head, key, rest)
                needed.append(NamedRule(names, part, key))
        return needed

    def _topics(self, key: str, rest: str, scene: Scene) -> tuple[str, ...]:
        if rest not in ("ask", "answer") or "topic" not in scene.facts:
            return ("",)
        issues = self.setting.profile.issues or self.setting.world.issues
        for issue in issues:
            if issue.key == key:
                return issue.topics
        return ("",)

    def _by_group(self, head: str, key: str, rest: str) -> tuple[str, ...]:
        names = []
        for group in self.setting.world.groups:
            names.append(f"{head}.{key}.{group.key}.{rest}")
        return tuple(names)

    def _by_issue(self, rule: NamedRule) -> tuple[str, ...]:
        """The names of a remedy's rule beside one problem, in mails and in chats."""
        begins = f"option.{rule.key}."
        rest = rule.names[0].removeprefix(begins)
        names: list[str] = []
        for issue in self._keys["issue"][1]:
            own = f"{begins}{issue}.{rest}"
            names += [own, *_in_chats([own])]
        return tuple(names)

    def _first(self, names: Sequence[str]) -> str | None:
        """The first of these names that a rule has."""
        for name in names:
            if self.words.variants(name):
                return name
        return None

    def _follow(self, rule: NamedRule, scene: Scene) -> None:
        """Looks at all lines that may word a rule in a scene: by mail, in a chat, for a group."""
        in_mails = self._first(rule.names)
        in_chats = self._first(_in_chats(rule.names))
        wording = [in_mails, in_chats]
        if rule.part == "categories":
            head, _, rest = rule.names[0].partition(".")
            wording += self._by_group(head, rule.key, rest)
        if rule.part == "options":
            wording += self._by_issue(rule)
        for plain in wording:
            if plain is None:
                continue
            for name in self.words.variants(plain):
                self._reached.add(name)
                visit = (name, scene.name)
                if visit not in self._seen:
                    self._seen.add(visit)
                    self._lines(name, scene)

    def _lines(self, name: str, scene: Scene) -> None:
        broken = unreadable(self.words, name)
        if broken:
            place = self.words.place(name)
            self._tell(place, f"rule {name}: {broken}")
            return
        known = scene.facts | self._details(name, scene)
        for number, named in enumerate(self.words.slots(name)):
            for slot in sorted(named - known):
                for rule in self._needed(slot, scene):
                    if self._first(rule.names):
                        self._follow(rule, scene)
                    elif rule.key or not self._spoken(rule):
                        self._unfilled(name, number, slot, rule, scene)

    def _details(self, name: str, scene: Scene) -> frozenset[str]:
        """What a rule may call the details of incidents: of its own issue, or of any."""
        if DETAILS not in scene.facts:
            return frozenset()
        plans = self.setting.world.incidents
        own = {issue: plan for issue, plan in plans.items() if f"issue.{issue}." in name}
        found: set[str] = set()
        for plan in own.values() or plans.values():
            found.update(plan.detail_names())
        # The words of any issue name the day, for they stand only where an issue has one.
        of_any = not own or ANY in own
        return frozenset(found.union(NEEDED_NAMES) if of_any else found)

    def _unfilled(self, name: str, number: int, slot: str, rule: NamedRule, scene: Scene) -> None:
        """A slot that neither a fact nor a rule fills."""
        if rule.key:
            self._miss(rule, f"rule {name}", self.words.place(name, number))
            return
        self.unfilled.add((name, slot, scene.name))
        says = f"rule {name}: {{{slot}}} is no fact of {scene.name} and no rule"
        if self.words.is_own(name):
            self._unfilled_own(name, number, slot, scene, says)
            return
        mend = f"add {slot} to x-facts with the path to its value, or write a rule {name}"
        example = (f"x-facts: {{{slot}: …}}",)
        stands_for_it = name.partition("@")[0]
        if _may_be_fact(stands_for_it):
            mend = (
                f"add {stands_for_it} to x-facts with the path to its value, which then takes the"
                f" rule's place, or {slot}"
            )
            example = (f"x-facts: {{{stands_for_it}: …}}",)
        file = Path(scene.file)
        place = (file, line_of(file, ("x-facts",)))
        self._tell(place, f"{says}; {mend}", example)

    def _unfilled_own(self, name: str, number: int, slot: str, scene: Scene, says: str) -> None:
        """A slot of a line of one's own that nothing fills; a field can be made a fact."""
        line = (name, number, slot)
        place = self.words.place(name, number)
        schema = self.setting.schema
        if schema.has(scene.name) and schema.object(scene.name).has(slot):
            mend = f"it is a field of {scene.name}: add it to the x-facts of {scene.name}"
            self._tell(place, f"{says}; {mend}", (f"x-facts: {{{slot}: {slot}}}",), line=line)
            return
        company = self.setting.company
        own = [fact for fact in sorted(scene.facts) if fact not in company]
        shown = ", ".join(own[:SHOWN_FACTS])
        hint = self._meant(slot, scene)
        self._tell(place, f"{says}{hint} (facts: {shown}, …)", line=line)

    def _meant(self, slot: str, scene: Scene) -> str:
        """A question after the name that a slot is nearly; empty where there is none."""
        known = [*sorted(scene.facts), *self.words.plain_names()]
        close = difflib.get_close_matches(slot, known, 1)
        if not close:
            return ""
        return f"; did you mean {{{close[0]}}}?"

    def _miss(self, rule: NamedRule, asker: str, place: tuple[Path, int]) -> None:
        """A rule that isn't there, told where its key is stated."""
        name = rule.names[0]
        instead = ""
        if rule.part:
            for other in rule.names[1:]:
                if ".any." in other:
                    instead = f", or {other} for all {rule.part}"
                    break
        where = self._stated(rule) or place
        about = f"{rule.key}: " if rule.key else ""
        says = f"{about}there is no rule {name} (asked for by {asker}); write it{instead}"
        example = self.words.example(name, self._figures_of(rule))
        lines = [f"  {line}" for line in example]
        self._tell(where, says, ("rules:", *lines), name)

    def _figures_of(self, rule: NamedRule) -> tuple[str, ...]:
        """The figures that each line of a policy's text must name; none for all other rules."""
        for policy in self.setting.world.policies:
            if rule.names[0] == f"policy.{policy.key}.body":
                return tuple(policy.figures)
        return ()

    def _stated(self, rule: NamedRule) -> tuple[Path, int] | None:
        """Where the key of a rule is stated: in the profile, or in a world of one's own."""
        if not rule.part:
            return None
        files = [self.profile, *self._own_worlds()]
        for file in files:
            place = place_of_key(file, rule.part, rule.key)
            if place is not None:
                return file, line_of(file, place)
        return None

    def _own_worlds(self) -> list[Path]:
        files = []
        for folder in reversed(self.words.own):
            files.append(folder / WORLD_FILE)
            for path in sorted(folder.glob("*.yaml")):
                if path.name != WORLD_FILE:
                    files.append(path)
        return files

    def _tell(
        self,
        place: tuple[Path, int],
        says: str,
        example: tuple[str, ...] = (),
        about: str = "",
        line: tuple[str, int, str] | None = None,
    ) -> None:
        """Notes a fault. One of a `line`, the rule, its number and the slot, is told once, however
        many texts it shows in.
        """
        key = about or f"{place} {says}"
        text = ""
        if line is not None:
            name, number, slot = line
            key = f"{name} {number} {slot}"
            text = self.words.lexicon.rules[name][number]
        self._found.setdefault(
            key,
            FileFault(
                *place,
                says,
                example,
                text=text,
            ),
        )

    def _demand(self, rule: NamedRule, fact: str, scene: Scene, asked: AskedRule) -> None:
        """Tells of the lines that let a text go without a fact that it must name."""
        first = self._first(rule.names)
        if first is None or fact in self._surely(first, scene):
            return
        for name, number in self._culprits(first, fact, scene, frozenset()):
            if not self.words.is_own(name):
                continue
            says = (
                f"rule {name}: this line doesn't name {{{fact}}}, which each text of"
                f" {asked.asker} by {asked.name} must name"
            )
            self.unnamed.add((name, fact))
            place = self.words.place(name, number)
            self._tell(place, says, line=(name, number, fact))

    def _fill(
        self,
        plain: str,
        least: int,
        scene: Scene,
        asked: AskedRule,
        above: frozenset[str],
    ) -> None:
        """Tells of the lines of one's own by which a text stays shorter than its field asks for."""
        for name in self.words.variants(plain):
            if unreadable(self.words, name):
                continue
            for number, phrase in enumerate(self.words.phrases(name)):
                inner = sorted(slots(phrase) - scene.facts - above)
                whole = self._length(phrase, scene)
                if whole < least:
                    if self.words.is_own(name):
                        self._tell_short(name, number, (whole, least), asked)
                    continue
                for slot in inner:  # of which one may be too short for some key of the world
                    rest = whole - self._slot_length(slot, scene)
                    for rule in self._needed(slot, scene):
                        first = self._first(rule.names)
                        if first is not None:
                            self._fill(
                                first,
                                least - rest,
                                scene,
                                asked,
                                above | {plain, slot},
                            )

    def _tell_short(self, name: str, number: int, size: tuple[int, int], asked: AskedRule) -> None:
        """Notes that a line gives so many characters at most, fewer than it has to."""
        most, least = size
        self.too_short[name] = max(least, self.too_short.get(name, 0))
        says = (
            f"rule {name}: this line gives {most} characters at most, and {asked.asker} needs"
            f" {least} of it; say more"
        )
        self._tell(self.words.place(name, number), says, line=(name, number, "length"))

    def _length(self, phrase: Phrase, scene: Scene) -> int:
        """The most characters that a line can have in a scene."""
        return longest(phrase, lambda slot: self._slot_length(slot, scene))

    def _slot_length(self, slot: str, scene: Scene) -> int:
        """The most characters of a fact, or of any rule that words the slot."""
        if slot in BLOCKS:
            return A_BLOCK
        if slot in scene.facts:
            return A_FIGURE if slot in self._figures() else A_FACT
        key = (slot, scene.name)
        if key not in self._lengths:
            self._lengths[key] = 0  # a rule that leads back to itself adds nothing more
            found = [0]
            for rule in self._needed(slot, scene):
                for name in self.words.variants(self._first(rule.names) or ""):
                    if not unreadable(self.words, name):
                        found += [self._length(line, scene) for line in self.words.phrases(name)]
            self._lengths[key] = max(found)
        return self._lengths[key]

    def _figures(self) -> frozenset[str]:
        """The names of all figures that the world's policies and articles state."""
        world = self.setting.world
        named = {fact.figure for fact in world.facts}
        for policy in world.policies:
            named |= set(policy.figures)
        return frozenset(named)

    def _surely(self, plain: str, scene: Scene) -> frozenset[str]:
        """The facts that each wording of a rule names."""
        key = (plain, scene.name)
        if key in self._sure:
            return self._sure[key]
        self._sure[key] = frozenset()  # a rule that leads back to itself names nothing more
        lines = []
        for name in self.words.variants(plain):
            if unreadable(self.words, name):
                continue
            for phrase in self.words.phrases(name):
                lines.append(self._named_by(phrase, scene))
        self._sure[key] = _in_all(lines)
        return self._sure[key]

    def _named_by(self, phrase: Phrase, scene: Scene) -> frozenset[str]:
        named: set[str] = set()
        for slot in sure_slots(phrase):
            if slot in scene.facts:
                named |= {slot, *SAYS_AS_WELL.get(slot, ())}
                continue
            each = []
            for rule in self._needed(slot, scene):
                first = self._first(rule.names)
                if first is None:
                    each.append(frozenset[str]())
                else:
                    each.append(self._surely(first, scene))
            named |= _in_all(each)
        return frozenset(named)

    def _culprits(
        self,
        plain: str,
        fact: str,
        scene: Scene,
        above: frozenset[str],
    ) -> Iterator[tuple[str, int]]:
        """Yields the lines that don't name a fact: of the rule, or of rules that name it mostly."""
        for name in self.words.variants(plain):
            if unreadable(self.words, name):
                continue
            for number, phrase in enumerate(self.words.phrases(name)):
                if fact in self._named_by(phrase, scene):
                    continue
                deeper = self._naming(phrase, fact, scene) - above
                if not deeper:
                    yield name, number
                passed = above | {plain}
                for inner in sorted(deeper):
                    yield from self._culprits(inner, fact, scene, passed)

    def _naming(self, phrase: Phrase, fact: str, scene: Scene) -> set[str]:
        """The rules within a line of which some lines name the fact, and others don't."""
        found = set()
        for slot in slots(phrase) - scene.facts:
            for rule in self._needed(slot, scene):
                first = self._first(rule.names)
                if first is not None and self._may_name(first, fact, scene):
                    found.add(first)
        return found

    def _may_name(self, plain: str, fact: str, scene: Scene) -> bool:
        for name in self.words.variants(plain):
            if unreadable(self.words, name):
                continue
            for line in self.words.phrases(name):
                if fact in self._named_by(line, scene):
                    return True
        return False

    def _policies(self) -> None:
        """Each figure of a policy stands in each text of its article, and has a question."""
        if not self.setting.schema.has("Knowledge__kav"):
            return
        asker = "the task knowledge_qa"
        place = (self.profile, 1)
        for policy in self.setting.world.policies:
            for figure in policy.figures:
                question = f"policy.{policy.key}.question.{figure}"
                self._reached.add(question)
                if not self.words.variants(question):
                    rule = NamedRule((question,), "policies", policy.key)
                    self._miss(rule, asker, place)
                self._figure(f"policy.{policy.key}.body", figure)

    def _figure(self, body: str, figure: str) -> None:
        for name in self.words.variants(body):
            if unreadable(self.words, name):
                continue
            says = f"rule {name}: this line doesn't name {{{figure}}}, a figure of the policy"
            for number, phrase in enumerate(self.words.phrases(name)):
                if figure not in sure_slots(phrase):
                    self.unnamed.add((name, figure))
                    place = self.words.place(name, number)
                    self._tell(place, says, line=(name, number, figure))

    def _note_unused(self) -> None:
        """Remarks on rules of one's own that nothing asks for: mostly their names are misspelt."""
        for name in self.words.lexicon.rules:
            if name in self._reached or not self.words.is_own(name):
                continue
            plain = name.partition("@")[0]
            is_asked_elsewhere = plain.startswith(UNASKED) or plain.endswith(TAIL)
            if is_asked_elsewhere or ".any." in plain or self._is_of_a_shipped(plain):
                continue
            file, line = self.words.place(name)
            says = f"rule {name}: nothing asks for it; mend its name, or take it out"
            self._found[f"unused {name}"] = FileFault(
                file,
                line,
                says,
                remark=True,
            )

    def _is_of_a_shipped(self, plain: str) -> bool:
        """Whether a rule takes the place of one that ships, of a key that the world has too."""
        head, _, rest = plain.removeprefix(CHAT).partition(".")
        if head in self._keys:
            begins = (ENQUIRY, *(f"{key}." for key in self._keys[head][1]))
            if not rest.startswith(begins) or f"{head}.{rest.partition('.')[2]}" in OF_A_CAUSE:
                return False
        return self.words.library.ships(plain)
