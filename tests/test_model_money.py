"""What a model may cost and who it is: the budget, prices, the choice of model and its bounds."""

import asyncio
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orgweave.testing.server import ModelServer
from orgweave.testing.words import Words
from pipeline.config import RunRequest, load_job
from pipeline.ledger import Ledger
from pipeline.model.budget import SLACK, Budget, Reservation
from pipeline.model.prices import Price, price_of
from pipeline.model.settings import (
    CONNECTIONS,
    JUDGE_SHARE,
    OPENAI,
    ModelSettings,
    choose,
    environment_with_file,
)
from pipeline.model.writers import check_settings
from pipeline.run import generate, writers_with
from schemas.errors import BadInput, BudgetReached
from tests.tiers import tried_on

SECRET = "sk-toy-0123456789-never-to-be-seen"

# --- budget

calls = st.lists(
    st.tuples(st.floats(0, 1), st.integers(0, 5000), st.floats(0, SLACK), st.integers(0, 8)),
    max_size=40,
)


@settings(max_examples=150, deadline=None)
@given(
    calls=calls,
    max_cost=st.none() | st.floats(0, 10),
    max_tokens=st.none() | st.integers(0, 50_000),
    paid=st.floats(0, 3),
)
def test_a_budget_is_never_overrun_by_honest_estimates(
    calls: list[tuple[float, int, float, int]],
    max_cost: float | None,
    max_tokens: int | None,
    paid: float,
) -> None:
    """However many calls are under way at once, what they take stays within both limits as long as
    none takes more than its estimate with slack.
    """
    budget = Budget(paid, 100, max_cost, max_tokens)
    under_way: list[tuple[Reservation, float, int]] = []
    for cost, tokens, share, ended in calls:
        try:
            under_way.append((budget.reserve(cost, tokens), cost * share, int(tokens * share)))
        except BudgetReached:
            break
        while len(under_way) > ended:
            budget.settle(*under_way.pop(0))
    for call in under_way:
        budget.settle(*call)
    assert max_cost is None or budget.paid <= max(max_cost, paid) + 1e-9
    assert max_tokens is None or budget.tokens <= max(max_tokens, 100)
    assert (budget.reserved_cost, budget.reserved_tokens) == (pytest.approx(0, abs=1e-9), 0)


def test_settling_puts_the_real_cost_in_the_estimates_place() -> None:
    """A call that took less than was set aside leaves the rest to others."""
    budget = Budget(max_tokens=1000)
    taken = budget.reserve(0.0, 800)
    budget.settle(taken, 0.5, 100)
    assert (budget.paid, budget.tokens, budget.reserved_tokens) == (0.5, 100, 0)
    budget.reserve(0.0, 720)


def test_a_closed_budget_stays_closed() -> None:
    """Once a call didn't fit, a smaller one doesn't slip through, even after others gave back what
    they had set aside.
    """
    budget = Budget(max_cost=1.0)
    taken = budget.reserve(0.5, 10)
    with pytest.raises(BudgetReached, match="--max-cost 1$"):
        budget.reserve(0.5, 10)
    budget.settle(taken, 0.0, 0)
    with pytest.raises(BudgetReached):
        budget.reserve(0.0, 0)


def test_without_limits_every_call_fits() -> None:
    """A budget without limits never closes."""
    budget = Budget(paid=1e6, tokens=10**12)
    for _ in range(5):
        budget.reserve(1e6, 10**12)
    assert not budget.closed


def test_estimates_learn_from_calls_that_took_more() -> None:
    """After a call took twice what was set aside, twice as much is set aside for the next."""
    budget = Budget(max_tokens=10**6)
    budget.settle(budget.reserve(0.0, 80), 0.0, 200)
    assert budget.reserve(0.0, 80).tokens == 200


def test_calls_side_by_side_teach_what_one_teaches() -> None:
    """Sixty calls under way at once that each took twice their share don't multiply what is set
    aside for the next by two sixty times.
    """
    budget = Budget(max_tokens=10**6)
    for taken in [budget.reserve(0.0, 80) for _ in range(60)]:
        budget.settle(taken, 0.0, 200)
    assert budget.reserve(0.0, 80).tokens == 200


@tried_on("limit", [{"max_cost": 0.012}, {"max_tokens": 40_000}])
def test_a_run_stops_before_its_limit_and_goes_on_with_a_higher_one(
    tmp_path: Path, limit: dict[str, float]
) -> None:
    """A limited run stops with what it paid for kept and no more spent than allowed; with a higher
    limit the rest is paid, nothing twice.
    """
    ask = RunRequest("shoes", scale=0.05)
    with ModelServer(Words(load_job(ask))) as server:
        given = {"model": "gpt-4o-mini", "base_url": server.url, "judge_model": "none"}
        with pytest.raises(BudgetReached, match="spent in this folder"):
            generate(ask, tmp_path, writers_of=writers_with(choose({**given, **limit}, {})))
        with Ledger(tmp_path / "ledger.sqlite") as ledger:
            paid, tokens = ledger.paid()
        assert 0 < paid <= limit.get("max_cost", 1e9)
        assert tokens == server.counts["tokens"] <= limit.get("max_tokens", 1e9)
        outcome = generate(ask, tmp_path, writers_of=writers_with(choose(given, {})))
        assert outcome.report.right
        assert server.counts["answers repeated"] == 0


# --- prices


def test_a_known_models_price_needs_no_network() -> None:
    """A known model's price comes from the bundled tables, at its own endpoint or at any other."""
    assert (
        price_of("gpt-4o-mini", OPENAI)
        == price_of("gpt-4o-mini", "http://127.0.0.1:1/v1")
        == Price(0.15, 0.6)
    )


def test_a_long_contexts_surcharge_is_no_part_of_the_price() -> None:
    """Where long prompts cost more a token, the price is that of prompts as short as ours."""
    assert price_of("gemini-2.5-pro", "") == Price(1.25, 10.0)


def test_an_unknown_models_price_is_unknown() -> None:
    """A model that nobody knows counts as free, and is told from one that is free."""
    assert price_of("toy-model-of-nobody", "http://127.0.0.1:1/v1") == Price(0.0, 0.0, known=False)


def test_a_given_price_goes_before_all_tables() -> None:
    """`--price` holds for any model, and a batch costs half of it."""
    assert price_of("gpt-4o-mini", OPENAI, "2.5, 10") == Price(2.5, 10.0)
    assert Price(2.5, 10.0).halved() == Price(1.25, 5.0)
    assert Price(2.5, 10.0).of(1000, 100) == pytest.approx(0.0035)


@pytest.mark.parametrize(
    "text", ["", "2.5", "1,2,3", "cheap,dear", "-1,2", "nan,1", "inf,1", "1,2000000"]
)
def test_a_bad_price_is_refused(text: str) -> None:
    """A price that isn't two numbers within reason is refused with the text and what to write."""
    with pytest.raises(BadInput, match=r"--price"):
        price_of("toy", "", text)


# --- the choice of model


def test_without_a_model_the_embedded_writer_writes() -> None:
    """No --model means the embedded writer, whatever keys the environment holds."""
    assert (
        choose({}, {"OPENAI_API_KEY": SECRET, "OPENAI_BASE_URL": "http://127.0.0.1:1/v1"}) is None
    )


def test_what_is_given_goes_before_the_environment() -> None:
    """--base-url goes before OPENAI_BASE_URL, that before OpenAI's own; the judge is the writer's
    model unless named.
    """
    key = {"OPENAI_API_KEY": SECRET}
    first = choose(
        {
            "model": "toy",
            "base_url": "http://a.test/v1",
            "judge_model": "other",
            "judge_share": 0.0,
            "max_connections": 3,
        },
        {**key, "OPENAI_BASE_URL": "http://b.test/v1"},
    )
    second = choose({"model": "toy"}, {**key, "OPENAI_BASE_URL": "http://b.test/v1"})
    third = choose({"model": "toy"}, key)
    assert first and second and third
    assert (first.base_url, first.judge_model, first.judge_share, first.max_connections) == (
        ("http://a.test/v1",),
        "other",
        0.0,
        3,
    )
    assert (second.base_url, second.judge_model, second.judge_share, second.max_connections) == (
        ("http://b.test/v1",),
        "toy",
        JUDGE_SHARE,
        CONNECTIONS,
    )
    assert third.base_url == (OPENAI,)


def test_a_model_needs_a_key_or_an_endpoint_or_a_folder() -> None:
    """--model alone is refused with all ways out; a local endpoint or a folder of files needs no
    key.
    """
    with pytest.raises(BadInput, match="set OPENAI_API_KEY"):
        choose({"model": "toy"}, {})
    local, folder = (
        choose({"model": "toy", "base_url": "http://127.0.0.1:1/v1"}, {}),
        choose({"model": "toy", "batch_dir": Path("d")}, {}),
    )
    assert local and local.key.get_secret_value() and not local.offline
    assert folder and folder.offline


NEEDS_MODEL: list[tuple[str, dict[str, object]]] = [
    ("--base-url", {"base_url": "http://a.test"}),
    ("--judge-model", {"judge_model": "none"}),
    ("--judge-share", {"judge_share": 0.0}),
    ("--max-cost", {"max_cost": 0.0}),
    ("--max-tokens", {"max_tokens": 0}),
    ("--max-connections", {"max_connections": 1}),
    ("--rpm", {"rpm": 1}),
    ("--tpm", {"tpm": 1}),
    ("--patience", {"patience": 0.0}),
    ("--fallback", {"fallback": "embedded"}),
    ("--client", {"client": "openai"}),
    ("--price", {"price": "1,2"}),
    ("--prompt-dir", {"prompt_dir": Path("p")}),
    ("--batch", {"batch": True}),
    ("--batch-dir", {"batch_dir": Path("d")}),
]


@pytest.mark.parametrize(("name", "options"), NEEDS_MODEL)
def test_options_about_a_model_need_a_model(name: str, options: dict[str, object]) -> None:
    """Each option that speaks of a model is refused without --model, by its name."""
    with pytest.raises(BadInput, match=f"^{name}: needs a model"):
        choose(options, {"OPENAI_API_KEY": SECRET})


def test_every_option_is_held_against_the_need_of_a_model() -> None:
    """The list above leaves no option out."""
    listed = {name.removeprefix("--").replace("-", "_") for name, _ in NEEDS_MODEL}
    assert listed == set(ModelSettings.model_fields) - {"model", "key"}


BOUNDS: list[tuple[str, dict[str, object]]] = [
    ("--judge-share 1.5", {"judge_share": 1.5}),
    ("--judge-share nan", {"judge_share": float("nan")}),
    ("--max-cost -1", {"max_cost": -1}),
    ("--max-tokens -1", {"max_tokens": -1}),
    ("--max-connections 0", {"max_connections": 0}),
    ("--max-connections 10001", {"max_connections": 10_001}),
    ("--rpm 0", {"rpm": 0}),
    ("--tpm -5", {"tpm": -5}),
    ("--base-url 127.0.0.1:8000", {"base_url": "127.0.0.1:8000"}),
    ("--batch and --batch-dir", {"batch": True, "batch_dir": Path("d")}),
]


@pytest.mark.parametrize(("says", "options"), BOUNDS)
def test_numbers_have_bounds(says: str, options: dict[str, object]) -> None:
    """What is out of bounds is refused by name and value."""
    with pytest.raises(BadInput, match=f"^{says}"):
        choose({**options, "model": "toy"}, {"OPENAI_API_KEY": SECRET})


def test_an_address_from_the_environment_is_checked_too() -> None:
    """OPENAI_BASE_URL without http:// is refused before a run begins, by its name."""
    with pytest.raises(BadInput, match="^OPENAI_BASE_URL 127.0.0.1:8000: write it with http"):
        choose({"model": "toy"}, {"OPENAI_BASE_URL": "127.0.0.1:8000"})


def test_a_cost_limit_needs_a_price() -> None:
    """--max-cost with a model of unknown price is refused; with --price it is fine, and a batch
    goes by half of it.
    """
    limited = {"model": "toy-model-of-nobody", "base_url": "http://127.0.0.1:1/v1", "max_cost": 1.0}
    unknown, known = (
        choose(limited, {}),
        choose({**limited, "price": "2,4", "batch": True}, {}),
    )
    assert unknown and known
    with pytest.raises(BadInput, match="no price is known for model toy-model-of-nobody"):
        check_settings(unknown)
    check_settings(known)
    assert known.price_of(known.model) == Price(1.0, 2.0)


def test_the_env_file_completes_the_environment(tmp_path: Path) -> None:
    """A .env file gives what the environment lacks and never replaces what it has; a name without a
    value gives nothing.
    """
    (tmp_path / ".env").write_text(
        f"ORGWEAVE_TOY_KEY='{SECRET}'\nPATH=/nowhere\nORGWEAVE_TOY_EMPTY\n"
    )
    found = environment_with_file(tmp_path)
    assert (found["ORGWEAVE_TOY_KEY"], found["PATH"]) == (SECRET, os.environ["PATH"])
    assert "ORGWEAVE_TOY_EMPTY" not in found
    assert "ORGWEAVE_TOY_KEY" not in environment_with_file(tmp_path / "elsewhere")


def test_an_env_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    """A .env file that isn't UTF-8 is refused by its path."""
    (tmp_path / ".env").write_bytes(b"OPENAI_API_KEY=\xff\xfe\n")
    with pytest.raises(BadInput, match=r"\.env: can't be read"):
        environment_with_file(tmp_path)


def test_the_key_stands_in_no_repr() -> None:
    """Neither the settings' repr nor their text shows the key."""
    chosen = choose({"model": "toy"}, {"OPENAI_API_KEY": SECRET})
    assert chosen
    assert SECRET not in f"{chosen!r} {chosen} {chosen.key} {chosen.model_dump()}"
    assert chosen.key.get_secret_value() == SECRET


def test_what_does_not_fit_beside_others_waits_for_what_they_leave() -> None:
    """A call that would fit alone waits until those under way have settled; one that fits no more
    ends at once.
    """

    async def three() -> tuple[bool, int]:
        budget = Budget(max_tokens=1000)
        first = await budget.set_aside(0.0, 700)
        second = asyncio.create_task(budget.set_aside(0.0, 700))
        await asyncio.sleep(0)
        waited = not second.done()
        budget.settle(first, 0.0, 100)
        budget.settle(await second, 0.0, 100)
        with pytest.raises(BudgetReached):
            await budget.set_aside(0.0, 700)
        return waited, budget.tokens

    assert asyncio.run(three()) == (True, 200)
