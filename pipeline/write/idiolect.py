"""How one person words things: which of some like words they use, and what their grammar is.

The same person does so in all their mails and chats. Works on texts; knows no cases
and no facts.
"""

import random
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from pipeline.write.grammar_habits import grammar_of, said_in

# A favorite is kept in small letters, in which nobody is "i".
SMALL_PRONOUN = re.compile(r"\bi\b(?='(?:m|ve|d|ll)\b| )")

# What begins with the pronoun, and what stands before the first word of a sentence.
PRONOUN = re.compile(r"I\b")
BEGINS = re.compile(r"(?:^|[.!?:\n])[\"\s]*$")

# Stands between the words of a group.
BETWEEN = " | "
# Words of which each person uses one, whatever stands in a rule. Each fits wherever another does,
# and none is a mark by which an incident shows.
LIKE_WORDS = (
    "maybe | maybe | perhaps",
    "anybody | anyone",
    "everybody | everyone",
    "for example | for instance",
    "thanks for | thank you for",
    "for the trouble | for the hassle | for the inconvenience",
    "i'm happy to | i'm glad to",
    "i'd be happy to | i'd be glad to",
    "i understand why | i can see why | i see why",
    "it looks like | it seems like",
    "keep you posted | keep you updated",
    "getting in touch | reaching out",
    "in case you need it | if you need it",
    "pretty sure | fairly sure",
    "as far as i can see | from what i can see | as far as i can tell | from what i can tell",
    "somebody | someone",
    "nobody | no one",
    "usually | normally",
    "one moment | one second | just a moment | just a second",
    "give me a moment | give me a minute | give me a second",
    "for a moment | for a minute | for a second",
    "i hope that helps | i hope this helps",
    "sign in | log in",
    "signed in | logged in",
    "signing in | logging in",
    "on our end | on our side",
    "on your end | on your side",
    "on my end | on my side",
    "if you'd like | if you want",
)
# The same for words of which only the first may be replaced: the others mean other things, too.
FIRST_REPLACED = (
    "a few days | a couple of days | several days",
    "a problem | an issue",
    "the problem | the issue",
    "look into it | check into it | look into that | take a look at it",
    "looking into it | checking into it | looking into that | working on it",
    "i'm sorry about | i apologize for",
    "i'm sorry for | i apologize for",
    "i'm not able to | i can't",
    "i'm unable to | i can't",
    "so that i | so i",
    "i want to | i'd like to",
    "get back to you | follow up with you",
    "get back to me | write back | reply",
    "my last email | my last message | my email",
    "i really appreciate | i appreciate",
    "i went ahead and | i've gone ahead and",
    "feel free to | please",
    "just wanted to | wanted to",
    "so you're all set | so that's all set | so you're good to go",
    "you're all set | you're good to go | that's all set",
    "i have your account open | i have your account up | i'm looking at your account",
    "i have your order open | i have your order up | i'm looking at your order",
    "i was able to find | i found | i managed to find",
    "what i can do is | what i can offer is | what i'm able to do is",
    "what i can do instead | what i can offer instead | what i could do instead",
    "if that works for you | if you're okay with that | if that's okay with you",
    "does that work for you | would that work for you | is that okay with you",
    "does that work | would that work | is that okay | is that all right",
    "let me take a look | let me check | let me see | let me have a look",
    "let me know if | tell me if",
    "just let me know | let me know | just tell me",
    "thank you so much for | thanks so much for | many thanks for | thanks a lot for",
    "you don't need to | there's no need to | you don't have to",
    "there's nothing you need to do | you don't need to do anything",
    "i can see what happened | i see what happened",
    "has been set up | is set up | is now set up",
    "has been approved | was approved | is approved",
    "has gone through | went through",
    "i just put through | i've just processed | i've put through",
    "i've set up | i set up",
    "i've approved | i approved",
    "i can set up | i could set up",
    "i can offer you | i could offer you | i can give you | i could give you",
    "i can also add | i could also add | i can add",
    "i can also offer you | i can also give you | i could also give you",
    "i'd also like to | i'd like to",
    "on top of that | in addition | besides that",
    "would be fair | would only be fair | seems fair",
    "for what it's worth | just so you know",
    "i'd say | i think",
    "sorry for the wait | sorry about the wait | sorry for the delay | sorry about the delay",
    "it took this long | it took so long | it's taken so long",
    "i know it's been a few days | i know it's been a while | i realize it's been days",
    "bearing with us | your patience | waiting | being so patient",
    "can you tell me | could you tell me | could you let me know",
    "can you send me | could you send me | would you send me",
    "is there any chance of | any chance of | is there any way to get",
    "what caused it | why it happened",
    "going by what you wrote | judging by what you wrote | going by what you told me",
    "that's my best guess | that's my guess | that's what it looks like",
    "for your records | for reference | for your reference",
    "i know that's disappointing | i realize that's disappointing | i know that's hard to hear",
    "you won't have to | you don't have to | you won't need to",
    "nobody has gotten back to me | nobody has replied | nobody has answered me",
    "get this fixed | get this resolved | get this taken care of | get this sorted out",
    "what's going on | what's happening",
    "i just want | i really just want | i only want",
    "i just need | i really just need | i only need",
    "i was hoping for | i'd hoped for",
    "after all this | after everything | after all that",
    "as we discussed | as discussed | as we agreed",
    "thanks for getting back to me | thanks for the reply | thanks for writing back",
    "i went through | i looked through | i've gone through",
    "i'd really appreciate | i'd appreciate",
    "photo | photo | picture",
    "photos | photos | pictures",
    "email | email | e-mail",
    "until | until | until | till",
    "right away | immediately",
    "a little | a bit",
    "okay | ok",
    "hold on | hang on",
    "as soon as | once",
    "i have to | i need to",
    "you have to | you need to",
    "we have to | we need to",
    "if you have questions | if you have any questions | if anything is unclear",
    "this took a while | it took a while | that took a while | this took so long",
    "sorry you had to | sorry that you had to | sorry you've had to",
    "had to deal with | had to put up with",
    "kept you waiting | left you waiting | made you wait",
    "what i can see | what i see",
    "i had a look and | i took a look and | i've had a look and | i checked and",
    "i had a look, and | i took a look, and | i've had a look, and | i've checked, and",
    "our mistake | our mistake | our error",
    "by email | by email | via email",
    "send back the | return the",
    "sending back the | returning the",
    "i can see | i see",
    "on my screen | in front of me",
    "should have had an answer | should have gotten an answer | should have heard from us",
    "the long wait | the wait",
    "your first and last name | your full name",
    "write back to you soon | get back to you soon | be in touch soon",
    "would you be okay with | are you okay with | would you be fine with",
    "is there a way to | is there any way to | can I",
    "what should i do | what do i do",
    "can i still | is it too late to",
    "i'm not sure what | i don't know what",
    "yesterday evening | last night",
    "can you help | could you help",
    "i noticed it | i saw it",
    "to be honest | honestly",
    "so i thought i'd ask | so i thought i'd write | so i'm asking",
    "see whether | see if",
    "check whether | check if",
    "know whether | know if",
    "sure whether | sure if",
    "ask whether | ask if",
    "i don't know how | i'm not sure how",
    "i don't know why | i'm not sure why",
    "right now | right now | at the moment",
    "to make sure | to be sure",
)
# Words of agents: a desk's phrases are each agent's own. Only the first of a group is replaced.
AGENTS_WORDS = (
    "that's our fault | that's on us | that's our mistake | that one's on us",
    "that's our mistake | that's on us | that's our fault | we got that wrong",
    "that's a defect | that counts as a defect | that's a manufacturing defect",
    "so it isn't a defect | so i can't call it a defect",
    "i'm afraid | i'm sorry to say",
    "i emailed you the label | the label is in your email | i've sent you the label",
    "the label is prepaid | the label is paid for | the postage is paid",
    "shipping is on us | we cover the shipping | shipping is free",
    "any box will do | any box is fine | any sturdy box works",
    "you should see | you'll see | expect to see",
    "goes back to your card | is going back to your card | goes to your card",
    "on the outside of the box | on the package",
    "a photo would help | a picture would help | a photo would be great",
    "can you send one | could you send one | can you share one",
    "could you take one | can you take one | could you get one",
    "do you have a photo of it | do you have a picture of it",
    "can i see a photo of it | could i see a picture of it",
    "i had a look at | i looked at | i've looked at",
    "what would you prefer | what would you like | what would help you most",
    "how would you like to have it solved | what would you like us to do | how can i make it right",
    "runs true to size | is true to size | is cut true to size",
    "i can't say from here | i can't tell from here | it's hard to say from here",
    "you shouldn't have to pay for that | that shouldn't cost you anything",
    "you shouldn't pay for that | you shouldn't have to pay for it",
    "to put it right | to make it right | to make up for it",
    "i don't want to keep you waiting | i don't want you to wait any longer",
    "by the rules | strictly speaking | officially",
    "as a one-time courtesy | as a one-time exception | just this once",
    "your order has left our warehouse | your order has shipped | your order went out",
    "is with the carrier now | is on its way with the carrier | is in the carrier's hands now",
    "you'll get an email | we'll send you an email",
    "the return is registered | your return is registered | i've set up the return",
    "no problem at all | that's no problem | of course",
    "please don't worry | don't worry | no need to worry",
    "i'm sorry they hurt | i'm sorry to hear they hurt | sorry they hurt",
    "that's no fun at all | that's no fun | i know how that feels",
    "i'm sorry about the sole | sorry about the sole | sorry to hear about the sole",
    "i'm sorry about the color | sorry about the color | that's a shame about the color",
    "i'm sorry the size isn't right | sorry the size isn't right | sorry the size is off",
    "i'm sorry they don't fit | sorry they don't fit",
    "nothing went wrong on our side | we didn't make a mistake | nothing went wrong here",
    "the rule is the same for everybody | the rules are the same for everyone",
    "no worries | no problem | that's fine",
    "they'd have to come back | they'd need to come back | they'd have to be here",
    "you don't have to send anything back | you don't need to send anything back",
    "you can keep the pair | you can keep them | the pair is yours to keep",
    "you can keep them | please keep them | feel free to keep them",
    "that would be | it would be | that comes to",
    "going by the toes | if it's the toes",
    "i measured a pair we have here | i measured one of ours",
    "would that help | does that help",
    "this style | this model",
    "i want to be sure | i want to make sure",
    "i'm passing you to | i'm transferring you to | i'm connecting you with",
    "you'll hear from me | i'll be in touch | i'll get back to you",
    "could you | could you | can you",
    "the system is slow today | the system is a bit slow today | my system is slow today",
    "take care | take care | have a good one",
    "the phone number's last four | the last four of your phone | your phone's last four digits",
    "i'm sorry to hear | sorry to hear | i'm so sorry to hear",
    "let me look into that | let me look into this | let me check on that | let me check on this",
    "let me look into it | let me check on it | let me look into this",
    "i've just | i just | i've",
    "you'll get | you'll get | you'll receive",
    "you'd get | you'd get | you'd receive",
    "you'll see | you should see",
    "i'll take a look | i'll have a look",
    "that shouldn't have happened | that should never have happened",
    "this shouldn't have happened | this should never have happened",
    "probably | probably | most likely",
    "at no cost | free of charge",
    "free of charge | at no cost",
    "i can't say how | i can't tell how | i'm not sure how",
    "i can't say why | i can't tell why | i'm not sure why",
    "i can't see why | i can't tell why",
    "i can't find anything wrong | i don't see anything wrong | i couldn't find anything wrong",
    "i don't see anything wrong | i can't find anything wrong | i couldn't find anything wrong",
    "much as i'd like to | as much as i'd like to",
    "in a separate email | in another email | separately",
    "do you have the order number | what's the order number | can you give me the order number",
    "do you have the reference number | what's the reference number",
    "i know this isn't the answer you hoped for | i know you were hoping for something else",
    "you were hoping for | you wanted",
    "i'm getting back to you | i'm following up",
    "taking over from | taking over for | stepping in for",
    "write to me any time | write to me anytime | email me any time",
    "i don't think it'll | i doubt it'll",
    "i have to say no to | i can't approve",
    "won't be able to | can't",
    "leaves here on | ships on | goes out on",
    "i've asked | i asked",
    "made a mistake | made an error",
    "if you call about it | if you call | if you reach out about it",
    "if you call | if you call us",
    "thank you for waiting | thanks for waiting | thanks for your patience",
    "one more thing | one other thing",
    "send a confirmation | send you a confirmation",
    "please write back | please reply | please let me know",
    "a quick security check first | a quick security check | one quick security check",
    "last four of your cell | last four digits of your cell",
    "last four of your phone | last four digits of your phone",
    "i've checked | i checked",
    "when it's done | once it's done",
    "i'm sorry this took | sorry this took",
    "i'm sorry it took | sorry it took",
    "i'm sorry that you had to | sorry you had to | i'm sorry you had to",
    "i'm sorry to answer so late | sorry for the late reply | i'm sorry for the late reply",
    "to make up for it | as an apology | to make it up to you",
    "i need to verify | i have to verify",
    "please try again | please try it again | please give it another try",
    "i had a closer look | i took a closer look",
    "is on its way back to | is going back to",
    "you did nothing wrong | you didn't do anything wrong",
    "it's nothing you did | it isn't anything you did | you didn't cause it",
    "it isn't anything you did | it's nothing you did | you didn't cause it",
    "it wasn't anything you did | it was nothing you did | you didn't cause it",
    "once it's | as soon as it's | when it's",
    "once they're | as soon as they're | when they're",
    "once i have | as soon as i have | when i have",
    "once i hear | as soon as i hear | when i hear",
    "once i know | as soon as i know | when i know",
    "by itself | on its own",
    "would have to | would need to",
    "has to be | needs to be",
    "your name in full | your full name | your first and last name",
    "a confirmation with the amount | an email with the amount",
    "one of our engineers | an engineer",
    "i apologize for | i'm sorry about | sorry about",
    "my apologies for | i'm sorry for | sorry for",
    "i'm sorry this comes | sorry this comes",
    "you don't have to | you don't need to",
    "i know it's | i realize it's",
    "i know that's | i realize that's",
    "i know this | i realize this",
    "i know you | i realize you",
    "have a good day | have a great day | have a nice day",
    "i have it open | i have it up | i'm looking at it",
    "should i | do you want me to | would you like me to",
    "would you like | do you want",
    "is that okay | does that work | would that work",
    "please check | please double-check",
    "in case it happens again | if it happens again",
    "the other thing you asked | your other question",
    "if something looks off | if anything looks off | if something doesn't look right",
    "you know where to find me | you can always write to me | just reply to this",
    "i feel bad about | i'm sorry about",
)
# What one receives, rather than gets to do.
RECEIVED = r"(?= (?:an?|the|your) (?:email|e-mail|message|confirmation|label|refund|full)\b| \$)"
# Where these follow, the words mean something else: "your email address".
NOT_BEFORE = {
    "photo": r"(?! id\b)",
    "your email": r"(?! address| account| client| program|s)",
    "my last email": r"(?!s)",
    "so that i": r"(?!')",
    "get back to me": r"(?! about| on| with)",
    "for the trouble": r"(?! with| of)",
    "does that work": r"(?= ?[?,.])",
    "i'm afraid": r"(?! so| not| you)",
    "that would be": r"(?= [$\d£€])",
    "i've just": r"(?= (?:\w+ed|set|sent|put|made|found|paid)\b)",
    "you'll get": RECEIVED,
    "you'd get": RECEIVED,
    "you'll see": r"(?= (?:it|\$\d\S*|the money|the credit|that|your \w+) (?:on|in|back|by)\b)",
    "probably": r"(?! not)",
    "leaves here on": r"(?= \w+day)",
    "in a separate email": r"(?= ?[,.]| and| with)",
    "if you call": r"(?= ?,)",
    "please write back": r"(?= if| and tell)",
    "you were hoping for": r"(?= (?:an?|the) )",
    "at the moment": r"(?! when)",
    "right now": r"(?! and then)",
    "i'm getting back to you": r"(?= (?:on|about)\b)",
    "send a confirmation": r"(?! to)",
    "made a mistake": r"(?= ?[,.]| here| on)",
    "to be sure": r"(?! of)",
    "should i": r"(?= (?:go|set|put|send|book|order|do|get|start|switch|change|take|close)\b)",
    "is that okay": r"(?= ?\?)",
    "please try again": r"(?= ?[,.]| now)",
    "has to be": r"(?= (?:done|set|fixed|checked|approved|reset|opened|changed|entered)\b)",
    "by itself": r"(?= ?[,.])",
    "it's nothing you did": r"(?! wrong)",
    "it isn't anything you did": r"(?! wrong)",
    "it wasn't anything you did": r"(?! wrong)",
    "i'm sorry to hear": r"(?! that, but)",
    "free of charge": r"(?= ?[,.!?])",
    "at no cost": r"(?= ?[,.!?])",
    "you should see": r"(?= [$\d£€])",
    "would that help": r"(?= ?[?.])",
    "by the rules": r"(?= )",
    "no worries": r"(?=[,.])",
    "this style": r"(?! of)",
    "let me take a look": r"(?! at)",
    "just let me know": r"(?= ?[,.]| and| if)",
    "it took this long": r"(?! to| for)",
    "is there any chance of": r"(?! getting| it)",
    "what caused it": r"(?! to|\?)",
    "you're all set": r"(?= ?[,.!])",
    "bearing with us": r"(?! on)",
    "i'd say": r"(?! so| no| yes)",
    "it looks like": r"(?= (?:I|you|your|the|they|it|there|we|that|this|one|two)\b)",
    "it seems like": r"(?= (?:I|you|your|the|they|it|there|we|that|this|one|two)\b)",
    "i can see": r"(?= (?:in|that|on|two|both|your|the|it|from|where|why)\b)",
    "is there a way to": r"(?= (?:get|have|see|send|change|move|stop|speed)\b)",
    "can i still": r"(?= (?:get|have|send|change|return|cancel|switch)\b)",
    "a little": r"(?= (?:late|long|more|less|while longer|bit|slow|worn|loose|tight|small|big)\b)",
    "as soon as": r"(?! possible| you can| i can| we can)",
    "until": r"(?! now| then| further)",
    "could you": r"(?! have| not| be)",
    "you'll hear from me": r"(?! or| and)",
    "email": r"(?! address)",
    "hold on": r"(?= ?[,.!]|$| a\b| please| while| for| one)",
    "take care": r"(?= ?[,.!])",
    "i have to": r"(?! (?:say|admit)\b)",
    "i just want": r"(?! to\b)",
    "i just need": r"(?! to\b)",
    "kept you waiting": r"(?! for an)",
    "sorry you had to": r"(?= (?:wait|write|ask|call|deal|go|find|tell|point)\b)",
    "this took a while": r"(?= ?[,.!])",
    "right away": r"(?= ?[,.!?]|$)",
    "okay": r"(?= ?[,.!])",
    "i'd really appreciate": r"(?! it| that)",
    # What one offers is a thing: "what I can offer is arrange a call" is no sentence.
    "what i can do instead": r"(?= is (?:an?|the|this|your)\b)",
    "what i can do is": r"(?= (?:an?|the|this|your)\b)",
}


KEPT_WHOLE = ("option", "wish", "product", "thing", "other_short", "stake", "said")
"""The facts that are such phrases."""


def worded_by(person: str, text: str, kept: Iterable[str] = (), by_agent: bool = False) -> str:
    """A text in the words and the grammar of this person, who may say `someone` for `somebody`.

    What is kept, such as the name of a remedy, stays as it is.
    """
    favorites = _favorites_of(person)
    phrases = list(kept)
    # Small letters are searched far faster than any letters, and few texts have such words.
    if by_agent and _replaced_words(by_agent=True).search(text.lower()):
        text = _favored(text, favorites, _places(phrases, text), by_agent=True)
    if _replaced_words().search(text.lower()):
        text = _favored(text, favorites, _places(phrases, text))
    text = said_in(grammar_of(person, by_agent), text, phrases)
    return SMALL_PRONOUN.sub("I", text) if "i " in text or "i'" in text else text


def _favored(
    text: str,
    favorites: Mapping[str, str],
    fixed: Sequence[tuple[int, int]],
    by_agent: bool = False,
) -> str:
    """A text with somebody's favorites for their like words, but for those in fixed places."""

    def favored(found: re.Match[str]) -> str:
        word = found.group()
        if any(start < found.end() and found.start() < end for start, end in fixed):
            return word
        favorite = favorites[word.lower()]
        # "I" has its capital within a sentence, too.
        within = PRONOUN.match(word) and not BEGINS.search(text[: found.start()])
        capital = word[0].isupper() and not within
        return favorite[0].upper() + favorite[1:] if capital else favorite

    return _replaced_words(re.IGNORECASE, by_agent).sub(favored, text)


def kept_whole(facts: Mapping[str, str]) -> list[str]:
    """The phrases of a plan, whose words nobody has others for."""
    return [facts.get(name, "") for name in KEPT_WHOLE]


def _places(kept: Iterable[str], text: str) -> list[tuple[int, int]]:
    """From where to where each of some phrases stands in a text."""
    places = []
    for phrase in kept:
        start = text.find(phrase) if phrase else -1
        if start >= 0:
            places.append((start, start + len(phrase)))
    return places


@lru_cache(maxsize=4096)
def _favorites_of(person: str) -> dict[str, str]:
    """What a person says for each word that has like ones."""
    habits = random.Random(f"idiolect|{person}")
    favorites: dict[str, str] = {}
    for like in LIKE_WORDS:
        words = like.split(BETWEEN)
        favorites |= dict.fromkeys(words, habits.choice(words))
    for like in (*FIRST_REPLACED, *AGENTS_WORDS):
        words = like.split(BETWEEN)
        favorites[words[0]] = habits.choice(words)
    return favorites


@lru_cache(maxsize=4)
def _replaced_words(
    flags: re.RegexFlag = re.NOFLAG,
    by_agent: bool = False,
) -> re.Pattern[str]:
    """Finds every word that a person may have another one for; with `by_agent`, those of agents."""
    of_agents = [like.split(BETWEEN)[0] for like in AGENTS_WORDS]
    favorites = _favorites_of("")
    known = of_agents if by_agent else [word for word in favorites if word not in of_agents]
    # By their first words: where none of those stands, nothing else is tried.
    begun: dict[str, list[str]] = {}
    for word in sorted(known, key=len, reverse=True):
        first, space, rest = word.partition(" ")
        ending = re.escape(space + rest) + r"\b" + NOT_BEFORE.get(word, "")
        begun.setdefault(re.escape(first), []).append(ending)
    words = [f"{first}(?:{'|'.join(endings)})" for first, endings in begun.items()]
    # "Many thanks for" has no other words for its end, nor has "the shipping is on us" or "please
    # accept my apologies for it".
    return re.compile(rf"\b(?<!many )(?<!the )(?<!how )(?<!accept )(?:{'|'.join(words)})", flags)
