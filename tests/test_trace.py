"""`trace`: what went over the wire, told from the ledger alone."""

import json
import re
from pathlib import Path

import pytest

from orgweave.cli import run
from orgweave.testing.faults import Behaviour
from orgweave.testing.server import ModelServer
from orgweave.testing.words import Words
from orgweave.trace import trace_text
from pipeline.config import RunRequest, load_job
from pipeline.ledger import Ledger, LedgerEntry
from pipeline.model.settings import choose
from pipeline.run import FinishedRun, generate, writers_with
from schemas.errors import BadInput, StorageFailed

SECRET = "sk-toy-0123456789-never-to-be-seen"
REQUEST = {"attempt": 0, "fields": [], "earlier": [], "units": [{"id": 1}, {"id": 2}]}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small shoe company, written by a model that spoils some of its answers."""
    ask, out = RunRequest("shoes", scale=0.02), tmp_path_factory.mktemp("traced") / "shoes"
    # Refusals are rarer: a unit that is refused four times in a row ends the run.
    with ModelServer(
        Words(load_job(ask)),
        Behaviour(key=SECRET, faults={"wrong_field": 0.2, "refused": 0.1, "truncated": 0.2}),
    ) as server:
        generate(
            ask,
            out,
            writers_of=writers_with(
                choose(
                    {"model": "gpt-4o-mini", "base_url": server.url, "judge_model": "none"},
                    {"OPENAI_API_KEY": SECRET},
                )
            ),
        )
    return out


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    """A ledger of three toy mini-batches: one right, one half refused, one whose whole answer was
    refused.
    """
    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        sent = json.dumps(
            [
                {"role": "system", "content": "You write."},
                {"role": "user", "content": "Write\ntwo tents."},
            ]
        )
        right, half = (
            {1: {"unit": 1, "Name": "Fell Tent"}, 2: {"unit": 2, "Name": "Tarn Tent"}},
            {1: {"unit": 1, "Name": "Crag Stove"}},
        )
        ledger.put(
            "aa" * 32,
            "Tent",
            json.dumps(REQUEST),
            LedgerEntry(right, {}, 100, 20, 0.00125, 1.5, sent, '{"entries": "as sent"}'),
            "toy-model",
        )
        ledger.put(
            "bb" * 32,
            "Stove",
            json.dumps({**REQUEST, "attempt": 2}),
            LedgerEntry(half, {2: "Name: too long"}, 90, 10, 0.001, 0.5, sent, "stove answer"),
            "toy-model",
        )
        ledger.put(
            "bc" * 32,
            "Stove",
            json.dumps(REQUEST),
            LedgerEntry(
                {},
                {1: "answer empty", 2: "answer empty"},
                80,
                0,
                0.0005,
                0.25,
                sent,
                "",
                "answer empty",
            ),
            "toy-model",
        )
    return tmp_path


def test_a_mini_batch_is_shown_whole(toy: Path) -> None:
    """Object and key, writer, try, counts, tokens, cost and time, each message by its role, the
    answer as it came, a verdict for each unit.
    """
    shown = trace_text(toy, "Stove", key="bb").splitlines()
    assert shown == [
        f"=== Stove {'bb' * 32}",
        "toy-model, try 3: 2 units, 1 accepted, 1 refused; 90 + 10 tokens, $0.001000, 0.50 s",
        "--- system",
        "You write.",
        "--- user",
        "Write",
        "two tents.",
        "--- answer",
        "stove answer",
        "--- verdicts",
        "unit 1: pass",
        "unit 2: fail: Name: too long",
        "",
        "1 of 1 mini-batches that fit",
    ]


def test_trouble_with_a_whole_answer_stands_beside_it(toy: Path) -> None:
    """What was wrong with a whole answer is told where the answer would stand."""
    assert "--- answer (answer empty)" in trace_text(toy, key="bc").splitlines()


def keys(text: str) -> list[str]:
    """The first two signs of each shown key, in order."""
    return [key[:2] for key in re.findall(r"^=== \w+ (\w+)$", text, re.MULTILINE)]


def test_filters_narrow_and_go_together(toy: Path) -> None:
    """--object, --failed, --key and --last each narrow what is shown, the oldest first, and the
    last line says how many fit.
    """
    assert keys(trace_text(toy)) == ["aa", "bb", "bc"]
    assert keys(trace_text(toy, name="Stove")) == ["bb", "bc"]
    assert keys(trace_text(toy, failed=True)) == ["bb", "bc"]
    assert keys(trace_text(toy, key="b")) == ["bb", "bc"]
    assert keys(trace_text(toy, key="bc", failed=True, name="Stove")) == ["bc"]
    assert keys(trace_text(toy, last=2)) == ["bb", "bc"]
    assert trace_text(toy, last=2).endswith("2 of 3 mini-batches that fit")
    assert trace_text(toy, last=99).endswith("3 of 3 mini-batches that fit")


def test_a_key_is_taken_as_it_stands(toy: Path) -> None:
    """Signs that mean something to SQL or to a search pattern mean nothing in a key."""
    for key in ("%", "_", "' OR 1", "*"):
        with pytest.raises(BadInput, match="no mini-batch fits"):
            trace_text(toy, key=key)


def test_a_run_without_refusals_says_so(tmp_path: Path) -> None:
    """Who asks what was refused, where nothing was, has asked nothing wrong."""
    entry = LedgerEntry({1: {"unit": 1, "Name": "Fell Tent"}}, {}, 0, 0, 0.0, 0.1, "", "")
    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        ledger.put("aa" * 32, "Tent", json.dumps(REQUEST), entry, "toy-model")
    says = "no text was refused: each one was accepted as it came"
    assert trace_text(tmp_path, failed=True) == says


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--object", "Case"], "no mini-batch fits; the ledger has those of Stove, Tent"),
        (["--object", "Tent", "--failed"], "no mini-batch fits; the ledger has refusals of Stove"),
        (["--last", "0"], "--last 0: must be at least 1"),
        (["--last", "-3"], "--last -3: must be at least 1"),
    ],
)
def test_what_fits_nothing_is_told_in_one_line(
    toy: Path,
    words: list[str],
    says: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Where nothing fits, the command ends with exit code 2 and one line that says what there
    is.
    """
    assert run(["trace", str(toy), *words]) == 2
    shown = capsys.readouterr()
    assert (shown.out, len(shown.err.splitlines())) == ("", 1)
    assert says in shown.err


def test_a_folder_without_a_ledger_is_left_as_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A folder without a ledger is told by name, exit code 2, and nothing is made in it."""
    assert run(["trace", str(tmp_path)]) == 2
    assert "has no ledger.sqlite" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_ledger_is_told(tmp_path: Path) -> None:
    """A ledger that is no database is told as damaged."""
    (tmp_path / "ledger.sqlite").write_bytes(b"no database at all, but longer than a header" * 50)
    with pytest.raises(StorageFailed, match="is damaged"):
        trace_text(tmp_path)


# --- real runs


def test_a_models_run_is_shown_with_prompts_answers_and_cost(
    written: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command shows of a model's run the shipped prompt, the answer's own text, passes, and
    dollars above zero; never the key.
    """
    assert run(["trace", str(written), "--object", "Product2", "--last", "100"]) == 0
    shown = capsys.readouterr().out
    assert "--- system\nYou write records for the CRM of" in shown
    assert "--- user\nObject type: Product2" in shown
    assert '{"entries": [{"unit": ' in shown
    assert re.search(
        r"gpt-4o-mini, try 1: \d+ units, \d+ accepted, \d+ refused; \d+ \+ \d+ tokens,"
        r" \$0\.00[0-9]*[1-9]",
        shown,
    )
    assert re.search(r"^unit \d+: pass$", shown, re.MULTILINE)
    assert SECRET not in shown


def test_the_refusals_of_a_models_run_are_shown_with_reasons(written: Path) -> None:
    """With --failed each shown mini-batch has a refusal or trouble of its whole answer, each with
    its reason.
    """
    shown = trace_text(written, failed=True, last=1000)
    for part in shown.split("=== ")[1:]:
        assert re.search(r"^unit \d+: fail: \S|^--- answer \(\S", part, re.MULTILINE)
    assert "17 is not of type" in shown
    assert "answer refused: I can't help with that." in shown
    assert "answer cut off at the model's longest output" in shown


def test_what_trace_shows_adds_up_to_what_was_paid(written: Path) -> None:
    """The tokens and dollars of all shown mini-batches are those of the ledger."""
    shown = re.findall(r"; (\d+) \+ (\d+) tokens, \$([\d.]+),", trace_text(written, last=10_000))
    with Ledger(written / "ledger.sqlite") as ledger:
        paid, tokens = ledger.paid()
    assert sum(int(one) + int(other) for one, other, _ in shown) == tokens
    assert sum(float(cost) for _, _, cost in shown) == pytest.approx(paid, abs=1e-6 * len(shown))


def test_the_embedded_writers_requests_are_shown_too(small_shoes: FinishedRun) -> None:
    """A run without a model shows the facts that were asked about and the entries that came of
    them.
    """
    shown = trace_text(small_shoes.folder, "Knowledge__kav", last=1)
    assert "--- request (the embedded writer takes it as it is)" in shown
    assert '"facts": {' in shown
    assert '"FAQ_Answer__c": "' in shown.split("--- answer")[1]
