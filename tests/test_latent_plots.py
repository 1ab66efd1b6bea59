"""The plot of a case: how the problem itself is put right beside what is granted."""

import pytest

from latent.plots import put_right


@pytest.mark.parametrize(
    ("wish", "granted", "mended", "fixes", "own_wish"),
    [
        ("repair", "repair", False, True, False),
        ("exchange", "", False, False, False),
        ("refund", "repair", False, True, True),
        ("repair", "credit", False, False, False),
        ("refund", "credit", True, False, True),
        ("refund", "", True, False, True),
    ],
)
def test_a_problem_is_mended_beside_what_is_granted_where_neither_puts_it_right(
    wish: str, granted: str, mended: bool, fixes: bool, own_wish: bool
) -> None:
    """A repair or an exchange that is asked for or granted puts it right by itself."""
    told = put_right("repair,exchange", wish, granted, "worn sole", mends=True)
    assert told == {"mended": mended, "fixes": fixes, "own_wish": own_wish, "blameless": False}


def test_what_is_no_mistake_of_the_company_is_not_mended() -> None:
    """Who has nothing put right wishes for no more than that; an unknown cause blames nobody."""
    assert put_right("repair", "refund", "", "long walks", mends=False) == {
        "mended": False,
        "fixes": False,
        "own_wish": False,
        "blameless": True,
    }
    assert not any(put_right("", "refund", "refund", "", mends=True).values())
    assert not put_right("", "refund", "refund", "", mends=False)["blameless"]
