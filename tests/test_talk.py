"""`make talk`: what the conversations of several companies have in common."""

from tests.talk import main, repeated_across, share_in_others
from verifiers.conversation_figures import KnownTalk
from verifiers.conversations import CaseTalk, Remark

VIVID = "Within five minutes there is a hot spot on my heel."


def company(*sentences: str) -> KnownTalk:
    """A company whose only customer says these sentences."""
    said = tuple(Remark("2022-03-01T09:00:00", True, "Rosa", text) for text in sentences)
    return KnownTalk([CaseTalk("1", False, said, framed=False, closed=True)])


def test_a_sentence_counts_where_another_company_has_it_too() -> None:
    """Repeats within one company are its own matter."""
    own = "I paid twice for one pair of shoes, and nobody tells me why."
    assert repeated_across([company(VIVID), company(VIVID, own, own)]) == 0.5


def test_what_one_group_holds_twice_is_not_shared() -> None:
    """Only what stands in two groups counts."""
    first, second = [frozenset("ab"), frozenset("b")], [frozenset("c")]
    assert share_in_others([first, second]) == 0
    assert share_in_others([first, [frozenset("ac")]]) == 2 / 3


def test_without_orgs_there_is_nothing_to_measure() -> None:
    """The command says so and ends with the code of bad input."""
    assert main([]) == 2
