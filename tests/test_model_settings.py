"""What people and endpoints get wrong: odd keys and addresses, templates that can't work, judges
that answer in their own way, strange counts.
"""

from pathlib import Path

import pytest

from pipeline.model.aiohttp_client import AiohttpTransport
from pipeline.model.chat import usage_in
from pipeline.model.judge import place_of
from pipeline.model.limits import RateWindow
from pipeline.model.openai_client import OpenAITransport
from pipeline.model.replies import ReplyKind, meaning_of
from pipeline.model.settings import choose
from pipeline.model.transport import reply_of
from pipeline.model.writers import check_settings, transport_of
from pipeline.write.prompt import check_prompts, load_prompts
from schemas.errors import BadInput

CANDIDATES = ("Fell Stove", "A Tent", "Store Credit", "something else", "not said")


@pytest.mark.parametrize(
    "url",
    [
        "127.0.0.1:8000",
        "ftp://a/v1",
        "http://",
        "http://[::1/v1",
        "http://a:99999/v1",
        "http://u:p@a/v1",
        "http://a/v1?key=sk-secret",
    ],
)
def test_an_address_that_cannot_be_used_is_told_at_once(url: str) -> None:
    """An address needs a scheme and a host, and holds nothing secret: it is printed and kept."""
    with pytest.raises(BadInput, match="--base-url") as raised:
        choose({"model": "m", "base_url": url}, {})
    assert "sk-secret" not in str(raised.value)


@pytest.mark.parametrize("key", ["sk-é", "sk-a\nb", "sk a"])
def test_a_key_that_no_header_takes_is_told_at_once(key: str) -> None:
    """A key with a line break, a space or an accent is refused, and not shown; white space around
    it doesn't count.
    """
    with pytest.raises(BadInput, match="OPENAI_API_KEY: holds a sign that no key has") as raised:
        choose({"model": "m"}, {"OPENAI_API_KEY": key})
    assert key not in str(raised.value)
    settings = choose({"model": "m"}, {"OPENAI_API_KEY": " sk-fine\r\n"})
    assert settings is not None and settings.key.get_secret_value() == "sk-fine"


def test_a_cost_limit_needs_the_judges_price_too() -> None:
    """With a judge whose price nobody knows a cost limit could not be kept."""
    settings = choose(
        {"model": "gpt-4o-mini", "judge_model": "nobody-knows", "max_cost": 1.0},
        {"OPENAI_API_KEY": "sk-fine-key"},
    )
    assert settings is not None
    with pytest.raises(BadInput, match="no price is known for model nobody-knows"):
        check_settings(settings)


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("Case/user.txt", "Hi $nonsense $units", "unknown place .nonsense"),
        ("Cases/user.txt", "$units", "there is no object type Cases"),
        ("user.txt", "Write something.", "has no .units"),
        ("judge/user.txt", "$oops $texts", "unknown place .oops"),
        ("judge/user.txt", "Read.", "has no .texts"),
        ("system.txt", "It costs $ 5", "a lone"),
    ],
)
def test_a_template_that_cannot_work_is_told_before_anything_is_spent(
    name: str,
    text: str,
    says: str,
    tmp_path: Path,
) -> None:
    """Unknown places, unknown object types and templates without what they are about are found
    before the first call.
    """
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text(text)
    with pytest.raises(BadInput, match=says):
        check_prompts(load_prompts(tmp_path), ["Case", "Product2"])


def test_the_shipped_templates_work() -> None:
    """They pass their own check."""
    prompts = load_prompts()
    check_prompts(prompts, ["Case"])
    assert {"system", "user"} <= prompts.texts.keys()


@pytest.mark.parametrize(
    ("answer", "place"),
    [
        ("B", 1),
        ("b)", 1),
        ("(C) Store Credit", 2),
        ("C: it says so", 2),
        ("store credit", 2),
        ("A Tent", 1),
        ("Answer: B", -1),
        ("Z", -1),
        ("ß", -1),
        ("", -1),
        ("Both", -1),
    ],
)
def test_a_judges_choice_is_a_letter_or_the_candidate(answer: str, place: int) -> None:
    """What is neither a candidate's letter nor its words is no choice: never a wrong verdict."""
    assert place_of(answer, CANDIDATES) == place


@pytest.mark.parametrize(
    "usage",
    [
        {"prompt_tokens": -5, "completion_tokens": 3},
        {"prompt_tokens": 2**64, "completion_tokens": 3},
        {"prompt_tokens": "9", "completion_tokens": 3},
        None,
    ],
)
def test_a_count_that_cannot_be_right_is_estimated(usage: object) -> None:
    """Negative, gigantic or missing token counts are replaced by an estimate."""
    told, answered = usage_in(usage, 100, "Some words here.")
    assert told == 100 and 0 < answered < 20


def test_a_rate_window_never_holds_longer_than_a_minute() -> None:
    """A time of day sent for a duration doesn't stop the run."""
    window = RateWindow()
    window.heard(0.0, "0", "1893456000")
    assert 0 < window.wait(0.0, 1) <= 60


@pytest.mark.parametrize(
    "body",
    [b"{}", b'{"object": "list"}', b'{"error": {"message": "no"}}', b"[" * 200_000, b"<html>"],
)
def test_what_is_no_completion_is_no_answer(body: bytes) -> None:
    """A 200 that holds no chat completion is tried again and told, never kept as an answer."""
    assert meaning_of(reply_of(200, {}, body)).kind is ReplyKind.AGAIN


def test_an_unknown_client_is_told_at_once() -> None:
    """`--client` names one of the two clients."""
    with pytest.raises(BadInput, match="--client curl: there are two, aiohttp and openai"):
        choose({"model": "m", "base_url": "http://a/v1", "client": "curl"}, {})


@pytest.mark.parametrize(
    ("client", "proxies", "made"),
    [
        ("aiohttp", {}, AiohttpTransport),
        ("openai", {}, OpenAITransport),
        ("aiohttp", {"https": "http://127.0.0.1:9"}, OpenAITransport),
    ],
)
def test_the_openai_client_is_taken_where_it_is_asked_for_or_a_proxy_is_named(
    client: str,
    proxies: dict[str, str],
    made: type,
) -> None:
    """The quick client knows no proxies, so that an environment that names one gets the other."""
    settings = choose({"model": "m", "base_url": "http://a/v1", "client": client}, {})
    assert settings is not None
    assert type(transport_of(settings, "http://a/v1", proxies)) is made
