"""Policy violation: which knowledge article the agent of a case broke, if any.

A grant is lawful where the issue's article lists the option and the order is not older than its
limit; what an agent tells of a policy is lawful where the policy's article says the same figure.
The org's texts must hold the evidence. In a breach the agent names the option (and, where it came
late, the days and the order's date) or the figure, and the article does not allow it. In a case
without one, the article lists what was granted, within its limit both on the day the case came and
on the day it closed, and all that was told of policies stands in their articles. No query decides
this, so the evidence is looked up instead.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any

from orgweave.benchmark.instance import NOTHING, Answer, Candidate, Dropped, Parameters
from orgweave.benchmark.judge_readings import article_text
from orgweave.benchmark.org_facts import OrgArticle, OrgCase, OrgFacts
from orgweave.benchmark.scripts import reading
from orgweave.benchmark.scripts.script import (
    UNPROVED,
    CallTool,
    ScriptInput,
    first_record_of,
    said,
)
from orgweave.benchmark.story import Article, Conversation, HiddenCase, SaidTerm, Story
from orgweave.benchmark.task import (
    Draws,
    JudgeReading,
    TaskDefinition,
    TaskSources,
    TaskTexts,
)
from orgweave.benchmark.texts import has_number, naming, passage, sentences
from pipeline.write.questions import NOT_SAID, JudgeQuestion
from verifiers.content import without_article
from verifiers.ways import sure_ways, unsure_ways
from verifiers.wording import plain

LAWFUL = ("granted", "granted_other")
MOST_TRIED = 12
"""How many cases are tried for a case's twin."""
REMEDY = "remedy"
"""What an instance's evidence calls the remedy that its sentence words in another way."""
UNSAID = Dropped("the conversation doesn't show what the agent granted")
UNSTATED = Dropped("the article doesn't state what makes it a breach, or lawful")
ON_THE_EDGE = Dropped("the grant is lawful by one date and not by another")
EXCEPTION = re.compile(
    r"exception|even though|although|past the|beyond|outside|not normally|isn't listed"
    r"|too late|technically|strict|bend the rules|goodwill|not on the list|despite|overlook",
    re.IGNORECASE,
)
"""What an agent may say who knows that a grant is none of the article's."""
BREAKS = (
    "An agent breaks the article on the case's issue by granting a remedy that it does not list, or"
    " by granting one after its limit; and the article on a policy by telling the customer another"
    " figure (days, months, an amount, a percentage) than it states. Days are counted from the"
    " order's EffectiveDate to the day the case was created."
)
"""What an agent is told of breaches."""
NUMBER = re.compile(r"\d+(?:\.\d+)?")
GRANTS = (
    "Does the agent grant a remedy that the article does not list, or one after its limit in days,"
    " or tell another figure than the article?"
)


def draws(
    sources: TaskSources,
    rng: Random,
    nothing: bool,
) -> Draws:
    """Closed cases in random order, two on the same issue; with `nothing` the second one's grant is
    lawful, of the same remedy where there is such a case.
    """
    return draws_among(sources.story.cases, sources, rng, nothing)


def draws_among(
    cases: Sequence[HiddenCase],
    sources: TaskSources,
    rng: Random,
    nothing: bool,
) -> Draws:
    """The same of some cases alone."""
    breaches, lawful = [], []
    for case in rng.sample(cases, len(cases)):
        if case.closed and case.violated:
            breaches.append(case)
        elif case.closed and case.ending in LAWFUL:
            lawful.append(case)
    pool = lawful if nothing else breaches
    taken: set[str] = set()
    for case in breaches:
        first = None if case.id in taken else _proved(sources, case)
        if isinstance(first, Dropped):
            yield first
        if not isinstance(first, Candidate):
            continue
        taken.add(case.id)
        twin = _twin(sources, case, first.answer, pool, taken)
        if twin is not None:
            taken.add(str(twin.parameters["case"]))
            yield first, twin
        elif not nothing:
            yield (first,)


def _twin(
    sources: TaskSources,
    case: HiddenCase,
    answer: Answer,
    pool: Sequence[HiddenCase],
    taken: set[str],
) -> Candidate | None:
    """A case with another answer in which the same was told of a policy; else one on the same
    issue; else, of two breaches, one of the same kind. Each time of the same remedy and as old an
    order as can be.
    """
    told = {(term.policy, term.figure) for term in case.terms if term.broken}
    alike = []
    for other in pool:
        also = told & {(term.policy, term.figure) for term in other.terms}
        if other.id in taken or (other.violated and _broken(other) == _broken(case)):
            continue
        near = also or other.issue == case.issue
        if near or other.violated:
            kind = other.ending != case.ending
            remedy = other.granted != case.granted
            nearness = (not also, not near, kind, remedy, abs(other.days - case.days))
            alike.append((nearness, other.id, other))
    for _, _, other in sorted(alike)[:MOST_TRIED]:
        candidate = _proved(sources, other)
        if isinstance(candidate, Candidate) and candidate.answer != answer:
            return candidate
    return None


def _broken(case: HiddenCase) -> str:
    """The key of the policy, or else of the issue, whose article a breach goes against."""
    for term in case.terms:
        if term.broken:
            return term.policy
    return case.issue_key


def _proved(sources: TaskSources, case: HiddenCase) -> Candidate | Dropped:
    """The question on a case, if its texts hold the evidence."""
    articles = {article.key: article for article in sources.story.articles}
    talk = sources.conversations[case.id]
    for term in case.terms:
        if not _states(articles[term.policy], term) or not talk.by_agent([term.clause]):
            return UNSAID
    if any(term.broken for term in case.terms):
        return _wrong_term(case, articles, talk)
    solutions = [article for article in sources.story.articles if article.kind == "solution"]
    by_issue = {article.issue_key: article for article in solutions}
    make = _breach if case.violated else _lawful
    return make(sources.story, case, by_issue[case.issue_key], talk)


def _wrong_term(
    case: HiddenCase,
    articles: Mapping[str, Article],
    talk: Conversation,
) -> Candidate | Dropped:
    """The breach of a policy: the agent tells another figure than its article."""
    (term,) = [term for term in case.terms if term.broken]
    article = articles[term.policy]
    grant = Grant(*talk.by_agent([term.clause])[-1])
    return _candidate(case, article, grant, _states(article, term))


def _states(article: Article, term: SaidTerm) -> str:
    """The sentence in which a policy's article states a figure; an empty text where it is not one
    sentence alone.
    """
    stated = [said for said in sentences(article.text) if has_number(said, term.stated)]
    return stated[0] if len(stated) == 1 else ""


@dataclass(frozen=True, slots=True)
class Grant:
    """Where an agent grants a remedy: the record, the sentence, and the remedy's name where the
    sentence has other words for it.
    """

    message: str
    sentence: str
    remedy: str = ""


def _forms(story: Story, option: str) -> tuple[str, ...]:
    name, phrase = story.options[option]
    return name, without_article(phrase)


def _granted(story: Story, case: HiddenCase, talk: Conversation) -> Grant | None:
    """Where an agent says what was granted last, by its phrase, or else as people word it.

    The surest ways of a remedy stand first: `come out` may be said of a visit that never was.
    """
    said = talk.by_agent(_forms(story, case.granted))
    known, before = story.ways.get(case.granted, ()), plain(talk.agents_words)
    for way in (*sure_ways(known, {}, before), *unsure_ways(known, {}, before)):
        said = said or talk.by_agent((), [way])
    if not said:
        return None
    message, sentence = said[-1]
    name, _ = story.options[case.granted]
    return Grant(message, sentence, "" if naming(sentence, [name]) else name)


def _breach(
    story: Story,
    case: HiddenCase,
    article: Article,
    talk: Conversation,
) -> Candidate | Dropped:
    forms = _forms(story, case.granted)
    granted = _granted(story, case, talk)
    if granted is None:
        return UNSAID
    if case.ending == "unlisted_grant":
        if naming(article.text, forms):
            return UNSTATED
        return _candidate(case, article, granted, "")
    limits = {key: limit for key, _, limit in article.options}
    limit = limits[case.granted]
    stated = passage(article.text, forms, limit)
    if not stated:
        return UNSTATED
    if not _dated(case, talk):
        return UNSAID
    # One day past the limit could be lawful by another way to count.
    if case.days <= limit + 1:
        return ON_THE_EDGE
    return _candidate(case, article, granted, stated)


def _dated(case: HiddenCase, talk: Conversation) -> bool:
    """Whether somebody says how old the order is, or of which day."""
    day = case.ordered
    forms = (
        f"{day:%B} {day.day}",
        f"{day:%b} {day.day}",
        f"{day.month}/{day.day}",
        f"{case.days} days",
        f"{case.days}-day",
    )
    said = " ".join(utterance.text for utterance in talk.utterances).casefold()
    return any(re.search(rf"\b{re.escape(form.casefold())}\b", said) for form in forms)


def _lawful(
    story: Story,
    case: HiddenCase,
    article: Article,
    talk: Conversation,
) -> Candidate | Dropped:
    forms = _forms(story, case.granted)
    granted = _granted(story, case, talk)
    if granted is None:
        return UNSAID
    stated = passage(article.text, forms, case.limit)
    if not stated:
        return UNSTATED
    days_at_close = (case.closed.date() - case.ordered).days if case.closed else 0
    if max(case.days, days_at_close) >= case.limit:
        return ON_THE_EDGE
    return _candidate(
        case,
        article,
        granted,
        stated,
        breach=False,
    )


def _candidate(
    case: HiddenCase,
    article: Article,
    grant: Grant,
    stated: str,
    breach: bool = True,
) -> Candidate:
    remedy = {REMEDY: grant.remedy} if grant.remedy else {}
    return Candidate(
        seed="case",
        parameters={"case": case.id},
        slots={"case": case.id},
        must=((case.id,),),
        answer=(article.id,) if breach else NOTHING,
        evidence={
            "article": article.id,
            "article_text": stated,
            "message": grant.message,
            "grant": grant.sentence,
            **remedy,
        },
        fact=case.id,
    )


def judge_reading(
    sources: TaskSources,
    candidate: Candidate,
    peers: Sequence[Candidate],
) -> JudgeReading:
    """Whether the agent grants what the article doesn't allow; the judge sees article, dates and
    conversation.
    """
    cases = {case.id: case for case in sources.story.cases}
    case = cases[str(candidate.parameters["case"])]
    lines = []
    for message in sources.conversations[case.id].utterances:
        speaker = "Agent" if message.agent else "Customer"
        lines.append(f"{speaker}: {message.text}")
    talk = "\n".join(lines)
    text = (
        f"Article:\n{article_text(sources, candidate)}\n\nOrdered on {case.ordered}, case created"
        f" on {case.created.date()}.\n\n{talk}"
    )
    question = JudgeQuestion(GRANTS, ("yes", "no", NOT_SAID))
    return JudgeReading(
        text,
        question,
        right=0 if candidate.answer else 1,
    )


async def oracle(given: ScriptInput, call: CallTool) -> str:
    """Whether the article of the case's issue lists what the agent granted, and its limit has not
    run out; else that article.

    The oracle knows the sentences that prove the answer, and which remedy one means that doesn't
    name it as articles do; it goes by what stands there only once it has found them again in what
    the tools return.
    """
    (case,) = await call("get_cases", case_ids=[given.parameters["case"]])
    grant = str(given.evidence["grant"])
    if grant not in sentences(await _agents_words(call, case["Id"])):
        return UNPROVED
    policy = await _policy(call, given.evidence)
    if policy is not None:
        return said([policy["Id"]] if _contradicts(grant, given.evidence) else [])
    article = await _article(call, case["IssueId__c"], given.evidence)
    if article is None:
        return UNPROVED
    alike = await call("search_knowledge_articles", search_term=grant)
    days = await _days_between(call, case)
    remedy = str(given.evidence.get(REMEDY) or grant)
    return said([article["Id"]] if _breaks(remedy, days, article, alike) else [])


async def _policy(call: CallTool, evidence: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The article of the evidence, found by what it states, where it is one that lists no
    remedies.
    """
    stated = str(evidence.get("article_text", ""))
    if not stated:
        return None
    for article in await call("search_knowledge_articles", search_term=stated):
        listing = reading.remedies(article["FAQ_Answer__c"])
        if stated in article["FAQ_Answer__c"] and not listing:
            return dict(article)
    return None


def _contradicts(grant: str, evidence: Mapping[str, Any]) -> bool:
    """Whether a sentence tells a figure that the article's does not."""
    told = set(NUMBER.findall(grant))
    stated = set(NUMBER.findall(str(evidence["article_text"])))
    return not told <= stated


async def _agents_words(call: CallTool, case: str) -> str:
    """What agents wrote in a case: its mails, or where there are none its chat."""
    mails = await call("get_email_messages_by_case_id", case_id=case)
    if mails:
        return reading.agents_words(mails, [])
    chats = await call("get_livechat_transcript_by_case_id", case_id=case)
    return reading.agents_words([], chats)


async def _article(
    call: CallTool,
    issue: str,
    evidence: Mapping[str, Any],
) -> Mapping[str, Any] | None:
    """The issue's article: of those found by its name and description that list remedies and hold
    the proving sentences, the one of the evidence.

    What the article doesn't list no sentence of it proves; so the evidence names it. Where it
    doesn't, the best match is taken.
    """
    issues = {known["Id"]: known for known in await call("get_issues")}
    name, description = issues[issue]["Name"], issues[issue]["Description__c"]
    proof = set(sentences(str(evidence.get("article_text", ""))))
    ranks: dict[str, float] = defaultdict(float)
    proving = []
    for term in (f"{name} {description}", name):
        found = await call("search_knowledge_articles", search_term=term)
        listing = [article for article in found if reading.remedies(article["FAQ_Answer__c"])]
        for place, article in enumerate(listing, 1):
            ranks[article["Id"]] += 1 / place
            if proof.issubset(sentences(article["FAQ_Answer__c"])):
                proving.append(article)
    named = evidence.get("article")
    fitting = [article for article in proving if named in (None, article["Id"])]
    return max(
        fitting,
        key=lambda article: ranks[article["Id"]],
        default=None,
    )


def _breaks(
    grant: str,
    days: int,
    article: Mapping[str, Any],
    alike: Sequence[Mapping[str, Any]],
) -> bool:
    """Whether what the sentence grants is not among the article's remedies, or its limit has run
    out; `alike` are articles that name other remedies.
    """
    limits = reading.remedies(article["FAQ_Answer__c"])
    names = list(limits)
    for other in alike:
        names += reading.remedies(other["FAQ_Answer__c"])
    granted = reading.meant(grant, names)
    return granted not in limits or days > limits[granted]


async def _days_between(call: CallTool, case: Mapping[str, Any]) -> int:
    """Days from the order's date to the day on which the customer wrote."""
    item = case["OrderItemId__c"]
    query = f"SELECT Order.EffectiveDate FROM OrderItem WHERE Id = '{item}'"
    (found,) = await call("issue_soql_query", query=query)
    return reading.days_between(found["Order"]["EffectiveDate"], case["CreatedDate"])


def _guess(
    facts: OrgFacts,
    wanted: Parameters,
    listed: bool = False,
    late: bool = False,
) -> Answer:
    """The article of the case's issue, if what was granted last is not listed (with `listed`) or
    came after its limit (with `late`); always, where neither is asked.
    """
    case = facts.case(str(wanted["case"]))
    article = facts.article_of_issue.get(case.issue)
    if article is None:
        return NOTHING
    limit = _limit_of_grant(facts, case, article)
    unlisted = limit is None
    over = limit is not None and case.days > limit
    always = not (listed or late)
    breaks = always or (listed and unlisted) or (late and over)
    return (article.id,) if breaks else NOTHING


def _limit_of_grant(
    facts: OrgFacts,
    case: OrgCase,
    article: OrgArticle,
) -> int | None:
    """The limit of the remedy that the agent named last; None where the article has none."""
    names: set[str] = set()
    for other in facts.articles.values():
        names.update(other.remedies)
    for sentence in reversed(sentences(facts.said.get(case.id, ""))):
        granted = reading.meant(sentence, sorted(names))
        if granted:
            return article.remedies.get(granted)
    return None


def policy_talked_of(facts: OrgFacts, wanted: Parameters) -> Answer:
    """The policy that one of the agent's sentences with a figure shares most words with, whatever
    the figure is.
    """
    policies = [article for article in facts.articles.values() if not article.remedies]
    best = (0, "")
    for sentence in sentences(facts.said.get(str(wanted["case"]), "")):
        if reading.figures(sentence):
            known = reading.words(sentence)
            for article in policies:
                best = max(best, (len(known & reading.words(article.text)), article.id))
    return (best[1],) if best[1] else NOTHING


def _by_phrase(facts: OrgFacts, wanted: Parameters) -> Answer:
    """The article of the issue where the agent's words sound like an exception."""
    case = facts.case(str(wanted["case"]))
    article = facts.article_of_issue.get(case.issue)
    confesses = EXCEPTION.search(facts.said.get(case.id, ""))
    return (article.id,) if confesses and article else NOTHING


TASK = TaskDefinition(
    short="PVI",
    persona="service agent",
    answers="id",
    reward_metric="exact_match",
    unanswerable=0.3,
    # More breaches of an org are of policies than of issues, so about a third may be of the latter.
    most_passed=0.35,
    texts=TaskTexts(
        seeds={"case": "Which knowledge article did the agent of case {case} break, if any?"},
        required=(
            f"{BREAKS} Answer with the Id of the knowledge article, or None if no article was"
            " broken."
        ),
        optional=(
            "E-mails are in EmailMessage (ParentId is the case), chats in LiveChatTranscript"
            " (CaseId); articles in Knowledge__kav (FAQ_Answer__c)."
        ),
    ),
    draws=draws,
    judge_reading=judge_reading,
    soql_truth=None,
    verify_sql=None,
    oracle=oracle,
    reduced={
        "article: always the issue's": _guess,
        "limit: listed or not": partial(_guess, listed=True),
        "list: late or not": partial(_guess, late=True),
        "article: always the issue's, limits known": partial(_guess, listed=True, late=True),
        "figures: the policy talked of": policy_talked_of,
        "rule: words of an exception": _by_phrase,
    },
    first_record=first_record_of("SELECT Id FROM Knowledge__kav LIMIT 1", "Id"),
)
