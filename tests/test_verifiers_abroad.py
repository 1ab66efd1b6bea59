"""What verifiers read in other languages: dates, amounts, numbers, names and telephone numbers."""

import pytest

from schemas.country import load_country
from verifiers.content import date_forms, names_fact
from verifiers.material import Demand, WrittenText
from verifiers.privacy import verify_privacy
from verifiers.tongue import Tongue, tongue_of
from verifiers.wording import plain, says_date, says_number

pytestmark = pytest.mark.quick


def own(locale: str) -> Tongue:
    """The tongue of a country's own language."""
    tongue = tongue_of(locale, own=True)
    assert tongue is not None
    return tongue


def named(locale: str, fact: str, form: str, text: str) -> bool:
    """Whether a text in a country's language names a fact."""
    tongue = own(locale)
    return names_fact(Demand(fact, (form,)), plain(text, tongue), tongue)


def test_an_embedded_writer_writes_english_everywhere() -> None:
    """A company's own language is read only where its words are its own, and English is English."""
    assert own("de_DE").is_foreign
    english = tongue_of("de_DE")
    assert english is not None and not english.is_foreign
    assert not own("en_GB").is_foreign
    assert tongue_of("en_US", own=True) is None


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("Am 9. August 2021 kam es an.", True),
        ("Am 9. Aug. kam es an.", True),
        ("Am 10. August 2021 kam es an.", False),
        ("Am 9. August 2020 kam es an.", False),
        ("Am 9th August 2021 kam es an.", False),
    ],
)
def test_a_date_is_read_in_its_language(text: str, right: bool) -> None:
    """German days have a point behind them, and no English ending."""
    assert named("de_DE", "order_date", "August 9, 2021", text) is right


def test_an_english_day_may_have_an_ending() -> None:
    """`9th August` is a British day, in its month alone."""
    tongue = tongue_of("en_GB")
    assert says_date("9 August 2021", "it came on the 9th august", tongue)
    assert not says_date("9 August 2021", "it came on the 9th july", tongue)


@pytest.mark.parametrize(
    ("locale", "text", "read"),
    [
        ("de_DE", "1.234,50 €", "1234.50 euros"),
        ("de_DE", "€ 1.234", "1234 euros"),
        ("de_DE", "20 %", "20 percent"),
        ("fr_FR", "12,50 euros", "12.50 euros"),
        ("ja_JP", "1,200円です", "1200 yen です"),
    ],
)
def test_an_amount_is_read_on_either_side_of_its_sign(locale: str, text: str, read: str) -> None:
    """What stands before the sign and what stands behind it are the same sum."""
    assert plain(text, own(locale)).split() == read.split()


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("Sie haben drei Tage.", True),
        ("Sie haben 3 Tage.", True),
        ("Sie haben dreizehn Tage.", False),
        ("Sie haben vier Tage.", False),
    ],
)
def test_a_number_stands_in_words_of_the_language(text: str, right: bool) -> None:
    """A number in words is a whole word."""
    assert says_number("3", plain(text, own("de_DE")), own("de_DE")) is right


def test_a_numeral_without_spaces_stands_beside_other_signs() -> None:
    """`三日` says three, `十三日` does not; a fraction has no words."""
    tongue = own("ja_JP")
    assert says_number("3", plain("三日です", tongue), tongue)
    assert not says_number("3", plain("十三日です", tongue), tongue)
    assert not says_number("2.5", plain("二", tongue), tongue)


@pytest.mark.parametrize(
    ("fact", "form", "text", "right"),
    [
        ("product", "Alder Trail", "Der Alder Trail ist da.", True),
        ("product", "Alder Trail", "Der Schuh ist da.", False),
        ("product", "Alder 3", "Der Alder 3 ist da.", True),
        ("product", "Alder 3", "Nur 3 sind da.", False),
        ("order_number", "00000417", "Bestellung 00000417.", True),
        ("order_number", "00000417", "Bestellung 00000418.", False),
        ("stated fact", "Refund", "Refund, das heißt Geld zurück.", True),
        ("stated fact", "Refund", "Geld zurück.", False),
        ("option", "full refund", "Geld zurück.", True),
        ("limit", "30 days", "Binnen 30 Tagen.", True),
        ("limit", "30 days", "Binnen 31 Tagen.", False),
        ("order_date", "soon", "Das ist bald.", True),
        ("wish", "25 euros", "Bitte 25 € zurück.", True),
        ("wish", "25 euros", "Bitte 25 Stück zurück.", False),
    ],
)
def test_a_fact_is_named_where_signs_alone_can_show_it(
    fact: str, form: str, text: str, right: bool
) -> None:
    """Names stand as they are, figures stand; what English words alone could show is let pass."""
    assert named("de_DE", fact, form, text) is right


def test_a_day_is_written_in_american_english_without_a_language() -> None:
    """A date has several forms, and what is no date stands as it is."""
    assert "August 9, 2021" in date_forms("August 9, 2021")
    assert "8/9/2021" in date_forms("August 9, 2021")
    assert date_forms("yesterday") == ("yesterday",)
    assert "9. August 2021" in date_forms("August 9, 2021", load_country("de_DE").language)


@pytest.mark.parametrize(
    ("locale", "text", "kept"),
    [
        ("de_DE", "0176 04069012", True),
        ("de_DE", "030 9018200", False),
        ("de_DE", "040 123456", False),
        ("de_DE", "030 12345", True),
        ("ja_JP", "03-5253-1111", False),
        ("ja_JP", "03-0123-4567", True),
    ],
)
def test_only_numbers_for_fiction_are_let_pass(locale: str, text: str, kept: bool) -> None:
    """Nine digits are a telephone number, fewer are not; the text's own number is told."""
    verdict = verify_privacy(WrittenText(f"Tel. {text} heute", tongue=own(locale)))
    assert verdict.failed is not kept
    assert kept or repr(text) in verdict.reason
