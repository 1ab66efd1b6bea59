"""Whole runs with a model: every fault at once, kill -9, limits, forms, the judge; by the package's
server, the real client and real sockets.
"""

import hashlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from functools import cache
from pathlib import Path

import pytest

from orgweave.cli import run
from orgweave.testing.faults import GATEWAY, SHAPE, Behaviour, everything
from orgweave.testing.server import ModelServer
from orgweave.testing.words import Words
from orgweave.trace import trace_text
from pipeline.compute.jobs import Workers
from pipeline.config import PreparedRun, RunRequest, load_job
from pipeline.ledger import Ledger
from pipeline.model.pauses import Pauses
from pipeline.model.settings import choose
from pipeline.plan import PlanCosting, make_plan
from pipeline.regenerate import regenerate
from pipeline.run import FinishedRun, generate, writers_with
from pipeline.write.prompt import load_prompts
from schemas.errors import BadInput, BudgetReached, CallFailed, Unreachable, WritingFailed
from tests.called import called
from tests.tiers import THOROUGH, tried_on

ROOT = Path(__file__).parent.parent
SHOES = RunRequest("shoes", scale=0.02)
HASTY = Pauses(retry=0.01)
"""For a server on this machine."""
KEY = "sk-quite-secret-0123456789"


@cache
def small_job() -> PreparedRun:
    """The job of the small shoe company, read once."""
    return load_job(SHOES)


def served(**behaviour: object) -> ModelServer:
    """A server for the small shoe company."""
    return ModelServer(Words(small_job()), Behaviour(**behaviour))  # type: ignore[arg-type]


def by_model(server: ModelServer, out: Path, **given: object) -> FinishedRun:
    """A run of the small shoe company with a model of that server."""
    settings = choose(
        dict(model="toy-model", base_url=server.url, price="2.5,10", **given),
        {"OPENAI_API_KEY": KEY},
    )  # type: ignore[arg-type]
    return generate(SHOES, out, writers_of=writers_with(settings, HASTY))


def digest(out: Path) -> str:
    """SHA-256 of the org."""
    return hashlib.sha256((out / "org.sqlite").read_bytes()).hexdigest()


def manifest(out: Path) -> dict[str, dict[str, dict[str, float]]]:
    """What the run left last."""
    loaded: dict[str, dict[str, dict[str, float]]] = json.loads((out / "manifest.json").read_text())
    return loaded


def rows(out: Path, sql: str) -> list[tuple[object, ...]]:
    """Rows of the ledger."""
    with sqlite3.connect(out / "ledger.sqlite") as db:
        return db.execute(sql).fetchall()


@pytest.fixture(scope="module")
def faultless(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """The small company as a well-behaved model writes it, and how many calls that took."""
    out = tmp_path_factory.mktemp("model") / "shoes"
    with served() as server:
        assert by_model(server, out).report.right
        assert server.counts["answers repeated"] == 0
        return out, server.counts["calls"]


@pytest.fixture(scope="module")
def whole(faultless: tuple[Path, int]) -> Path:
    """The small company as a well-behaved model writes it."""
    return faultless[0]


@tried_on(
    "company, scale",
    [("bank", 0.02), ("shoes", 0.01), ("saas", 0.1), ("utility", 0.02), ("clinic", 0.05)],
)
def test_each_company_can_be_finished_with_a_model(
    company: str, scale: float, tmp_path: Path
) -> None:
    """A model whose short lines repeat, as people's do, finishes every company without a violation.

    In the software house's, some texts are shown as earlier that have several lines.
    """
    request = RunRequest(company, scale=scale)
    with ModelServer(Words(load_job(request)), Behaviour()) as server:
        settings = choose({"model": "toy-model", "base_url": server.url}, {"OPENAI_API_KEY": KEY})
        made = generate(request, tmp_path, writers_of=writers_with(settings, HASTY))
    assert made.report.right


@THOROUGH
def test_workers_beside_a_models_calls_change_nothing(whole: Path, tmp_path: Path) -> None:
    """Processes that start while calls are waited for check the org; its files are the same."""
    with served() as server:
        settings = choose({"model": "toy-model", "base_url": server.url}, {"OPENAI_API_KEY": KEY})
        writers = writers_with(settings, HASTY)
        made = generate(SHOES, tmp_path, writers_of=writers, workers=Workers(2))
    assert made.report.right
    for name in ("org.sqlite", "check.json"):
        assert (tmp_path / name).read_bytes() == (whole / name).read_bytes()


def test_every_fault_at_once_loses_and_doubles_nothing(whole: Path, tmp_path: Path) -> None:
    """With each fault in 5 % of the calls or more and a limit of calls at once, the org passes its
    check and is byte for byte that of a faultless model.
    """
    # Which calls are struck hangs on the prompts: the fault that must be met strikes more often.
    faults = {**everything(0.05), "busy": 0.2}
    with served(faults=faults, most_at_once=6, retry_after=0.05) as server:
        outcome = by_model(server, tmp_path / "shoes", max_connections=16)
        met = [name for name in everything(0.05) if server.counts[f"fault {name}"]]
    assert outcome.report.right
    assert outcome.counts == manifest(whole)["counts"]
    assert digest(tmp_path / "shoes") == digest(whole)
    assert len(met) >= 10 and "busy" in met


@tried_on("fault", [*(name for name in everything(1.0) if name != "busy"), *GATEWAY, *SHAPE])
def test_each_fault_alone_is_outlived(fault: str, whole: Path, tmp_path: Path) -> None:
    """A model that shows one fault in a quarter of its answers still writes the same org; where a
    fault strikes the last answers alone, in every second of these.
    """
    with served(faults={fault: 0.5 if fault == "stray" else 0.25}) as server:
        by_model(server, tmp_path / "shoes")
        assert server.counts[f"fault {fault}"] > 0
    assert digest(tmp_path / "shoes") == digest(whole)


@tried_on("fault", ["wrapped", "keyed", "text_numbers"])
def test_right_entries_in_another_shape_are_not_paid_for_again(
    fault: str, faultless: tuple[Path, int], tmp_path: Path
) -> None:
    """Where all answers come in that shape, as many calls are made as of a faultless model."""
    whole, calls = faultless
    with served(faults={fault: 1.0}) as server:
        by_model(server, tmp_path / "shoes")
        assert server.counts["calls"] == calls
    assert digest(tmp_path / "shoes") == digest(whole)


@THOROUGH
@tried_on("way", ["refusal", "filter", "nothing"])
def test_a_prompt_that_is_always_withheld_is_left_to_the_fallback(
    way: str, whole: Path, tmp_path: Path
) -> None:
    """Without one the run ends with the unit named, and a second run asks nothing of it again; with
    one the org is made.
    """
    sql = "SELECT request FROM answers WHERE object = 'Case' ORDER BY rowid LIMIT 1"
    ((request,),) = rows(whole, sql)
    customer = json.loads(str(request))["units"][2]["facts"]["customer"]
    out = tmp_path / "shoes"
    with served(poisoned={customer: way}) as server:
        with pytest.raises(WritingFailed, match=r"^Case \d+: the model won't write it"):
            by_model(server, out, judge_model="none")
        asked = server.counts["poisoned"]
        with pytest.raises(WritingFailed, match="--fallback embedded"):
            by_model(server, out, judge_model="none")
        assert server.counts["poisoned"] == asked
        made = by_model(server, out, judge_model="none", fallback="embedded")
    assert made.report.right
    assert made.counts == manifest(whole)["counts"]


def test_a_truncated_mini_batch_is_halved(whole: Path, tmp_path: Path) -> None:
    """Of an answer that was cut off the whole entries are kept, the others asked again in two
    halves.
    """
    with served(faults={"truncated": 0.3}) as server:
        by_model(server, tmp_path / "shoes")
    cut = [
        (json.loads(str(request)), json.loads(str(entries)))
        for request, entries in rows(
            tmp_path / "shoes", "SELECT request, entries FROM answers WHERE cut"
        )
    ]
    assert cut
    asked = {
        tuple(unit["id"] for unit in json.loads(str(request))["units"])
        for (request,) in rows(tmp_path / "shoes", "SELECT request FROM answers")
    }
    for request, entries in cut:
        left = [unit["id"] for unit in request["units"] if str(unit["id"]) not in entries]
        middle = (len(left) + 1) // 2
        assert {tuple(left[:middle]), tuple(left[middle:]) or tuple(left)} <= asked


def words_of(server: ModelServer, out: Path, *more: str) -> list[str]:
    """The command line of the same run."""
    return [
        "generate",
        "--no-report",
        "--company",
        "shoes",
        "--scale",
        "0.02",
        "--model",
        "toy-model",
        "--base-url",
        server.url,
        "--price",
        "2.5,10",
        "--out",
        str(out),
        *more,
    ]


@tried_on("answers", [17, 3])
def test_a_killed_run_pays_for_no_finished_mini_batch_twice(
    answers: int,
    whole: Path,
    tmp_path: Path,
) -> None:
    """After kill -9 the same command repeats at most the calls that were under way, and ends in the
    same org.
    """
    out, most = tmp_path / "shoes", 8
    with served(latency=0.1) as server:
        words = words_of(server, out, "--max-connections", str(most))
        process = subprocess.Popen(
            [sys.executable, "-m", "pipeline", *words],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=ROOT,
        )
        while process.poll() is None and server.counts["answers"] < answers:
            time.sleep(0.005)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        finished = {key for (key,) in rows(out, "SELECT key FROM answers")}
        assert run(words) == 0
        assert server.counts["answers repeated"] <= most
    assert finished <= {key for (key,) in rows(out, "SELECT key FROM answers")}
    assert digest(out) == digest(whole)


def test_a_cost_limit_stops_in_good_order_and_a_higher_one_goes_on(
    whole: Path, tmp_path: Path
) -> None:
    """Exit 4 before the limit is overrun, all that was written kept; the same command with a higher
    limit ends in the same org, nothing paid twice.
    """
    out = tmp_path / "shoes"
    total = sum(one["cost"] + one["judge_cost"] for one in manifest(whole)["written"].values())
    with served() as server:
        stopped = called(*words_of(server, out, "--max-cost", f"{total / 2:.4f}"))
        assert (
            stopped.returncode == 4
            and "stopped before --max-cost" in stopped.stderr
            and len(stopped.stderr.splitlines()) == 2
        )
        with Ledger(out / "ledger.sqlite") as ledger:
            assert total / 10 < ledger.paid()[0] <= total / 2
        assert not (out / "manifest.json").exists()
        assert called(*words_of(server, out, "--max-cost", f"{total * 2:.4f}")).returncode == 0
        assert server.counts["answers repeated"] == 0
    assert digest(out) == digest(whole)


def test_a_token_limit_stops_too(tmp_path: Path) -> None:
    """`--max-tokens` is kept like a cost limit, also where no price is known."""
    with served() as server:
        settings = choose(
            {"model": "nobody-knows", "base_url": server.url, "max_tokens": 15_000}, {}
        )
        with pytest.raises(BudgetReached, match="--max-tokens 15000"):
            generate(SHOES, tmp_path / "shoes", writers_of=writers_with(settings, HASTY))
        assert server.counts["tokens"] <= 15_000


@pytest.mark.parametrize(
    ("behaviour", "says"),
    [
        ({"key": "another"}, "the key was not accepted"),
        ({"models": ("gpt-9",)}, "no such model"),
        ({"quota": 15_000}, "the quota is used up"),
    ],
)
def test_what_no_repetition_mends_ends_the_run_at_once(
    behaviour: dict[str, object],
    says: str,
    tmp_path: Path,
) -> None:
    """Wrong key, unknown model, used-up quota: one line, few calls, what was written kept."""
    with served(**behaviour) as server:
        with pytest.raises(CallFailed, match=says) as raised:
            by_model(server, tmp_path / "shoes", max_connections=8)
        refused = server.counts["calls"] - server.counts["answers"]
        assert refused <= 8
        assert (
            len(rows(tmp_path / "shoes", "SELECT key FROM answers"))
            + len(rows(tmp_path / "shoes", "SELECT key FROM rulings"))
            == server.counts["answers"]
        )
    assert "\n" not in str(raised.value) and KEY not in str(raised.value)


def test_a_prompt_too_long_is_asked_in_smaller_ones(tmp_path: Path) -> None:
    """Mini-batches that don't fit the model are halved; a unit that fits alone nowhere is named."""
    with (
        served(context=900) as server,
        pytest.raises(WritingFailed, match="the model won't write it .*a prompt is too long"),
    ):
        by_model(server, tmp_path / "shoes", max_connections=8)


def test_the_key_is_written_nowhere(whole: Path) -> None:
    """No file of a run holds the key."""
    assert [
        path for path in whole.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()
    ] == []


@tried_on("forms", [("json_object", "text"), ("text",)])
def test_the_form_of_output_is_found_out_once(
    forms: tuple[str, ...],
    whole: Path,
    tmp_path: Path,
) -> None:
    """Where an endpoint takes no strict schema, JSON mode or plain text take its place; a later run
    in the folder asks right away in that form.
    """
    with served(forms=forms) as server:
        by_model(server, tmp_path / "shoes", max_connections=4)
        assert 1 <= server.counts["calls"] - server.counts["answers"] <= 8
        before = server.counts["calls"] - server.counts["answers"]
        settings = choose(
            {"model": "toy-model", "base_url": server.url, "price": "2.5,10"},
            {"OPENAI_API_KEY": KEY},
        )
        regenerate(
            SHOES,
            tmp_path / "shoes",
            "Knowledge__kav",
            writers_of=writers_with(settings, HASTY),
            writer="toy-model",
        )
        assert server.counts["calls"] - server.counts["answers"] == before
    assert len(manifest(tmp_path / "shoes")["written"]) == len(manifest(whole)["written"])


def test_a_changed_template_redoes_its_own_mini_batches_only(whole: Path, tmp_path: Path) -> None:
    """With a template for one object type, only that one's mini-batches (and what is written from
    its words) are asked again.
    """
    folder = tmp_path / "prompts"
    (folder / "LiveChatTranscript").mkdir(parents=True)
    (folder / "LiveChatTranscript" / "user.txt").write_text(
        "Write chats.\nObject type: $object\n$fields\n$beats\n$schema\n$earlier\nUnits:\n$units"
    )
    with served() as server:
        by_model(server, tmp_path / "shoes")
        before = server.counts["calls"]
        by_model(server, tmp_path / "shoes", prompt_dir=folder)
        chats = [
            key
            for (key,) in rows(
                tmp_path / "shoes",
                "SELECT key FROM answers WHERE object = 'LiveChatTranscript' AND sent LIKE '%Write"
                " chats.%'",
            )
        ]
        assert server.counts["calls"] - before == len(chats) > 0
    assert digest(tmp_path / "shoes") == digest(whole)


def test_another_writer_is_not_taken_for_a_regeneration(tmp_path: Path, whole: Path) -> None:
    """An org that a model wrote is not silently written anew by the embedded writer."""
    with pytest.raises(BadInput, match="was written by toy-model; add --model toy-model"):
        regenerate(SHOES, whole, "Knowledge__kav")


def test_the_plan_foretells_tokens_and_money(whole: Path) -> None:
    """Calls, tokens and cost are within a quarter of what the run then takes."""
    settings = choose(
        {"model": "toy-model", "base_url": "http://127.0.0.1:1/v1", "price": "2.5,10"}, {}
    )
    assert settings is not None
    plan = make_plan(
        load_job(SHOES),
        PlanCosting(
            load_prompts(),
            settings.judge_share,
            settings.price_of(settings.model),
            settings.price_of(settings.judge_model),
        ),
    )
    written = manifest(whole)["written"].values()
    tokens = sum(one["tokens_in"] + one["tokens_out"] + one["judge_tokens"] for one in written)
    cost = sum(one["cost"] + one["judge_cost"] for one in written)
    calls = len(rows(whole, "SELECT key FROM answers")) + len(
        rows(whole, "SELECT key FROM rulings")
    )
    assert abs(plan.tokens / tokens - 1) < 0.25
    assert abs(plan.cost / cost - 1) < 0.25
    assert (
        abs((plan.mini_batches + sum(node.judge_calls for node in plan.nodes)) / calls - 1) < 0.25
    )


def test_what_tasks_depend_on_is_judged_and_the_rest_sampled(whole: Path, tmp_path: Path) -> None:
    """Every article is judged, whatever the share; with a share of one,
    every case is judged too.
    """
    articles = len(set(range(int(str(manifest(whole)["counts"]["Knowledge__kav"])))))
    assert manifest(whole)["written"]["Knowledge__kav"]["judged"] == articles
    with served() as server:
        by_model(server, tmp_path / "shoes", judge_share=1.0)
    assert manifest(tmp_path / "shoes")["written"]["Case"]["judged"] >= int(
        str(manifest(whole)["counts"]["Case"])
    )


def test_a_text_that_is_misread_is_written_again(whole: Path, tmp_path: Path) -> None:
    """Where a reader understands another issue than the facts have, the case is refused with what
    was read, and written anew.
    """
    words = Words(small_job(), misread=0.3)
    with ModelServer(words) as server:
        assert by_model(server, tmp_path / "shoes", judge_share=1.0).report.right
    account = manifest(tmp_path / "shoes")["written"]["Case"]
    assert account["judged_wrong"] > 0
    notes = [
        str(request)
        for (request,) in rows(
            tmp_path / "shoes", "SELECT request FROM answers WHERE object = 'Case'"
        )
        if "A reader finds" in str(request)
    ]
    assert notes


@THOROUGH
def test_a_judge_out_of_reach_leaves_texts_unjudged(whole: Path, tmp_path: Path) -> None:
    """An outage of the judge is neither a pass nor a fail: the org is made, the texts counted as
    unjudged, and the next run asks again.
    """
    # Both servers have the same words, which know what they wrote: a date that a text gives in
    # another form is not found by its letters.
    words = Words(small_job())
    with ModelServer(words, Behaviour(down=("judge-model",))) as server:
        by_model(server, tmp_path / "shoes", judge_model="judge-model")
    account = manifest(tmp_path / "shoes")["written"]["Knowledge__kav"]
    assert (
        account["judged"] == 0
        and account["unjudged"] == manifest(whole)["written"]["Knowledge__kav"]["judged"]
    )
    assert digest(tmp_path / "shoes") == digest(whole)
    with ModelServer(words, Behaviour()) as server:
        by_model(server, tmp_path / "shoes", judge_model="judge-model")
        assert server.counts["answers repeated"] == 0
    assert manifest(tmp_path / "shoes")["written"]["Knowledge__kav"]["unjudged"] == 0


def test_nothing_gets_through(tmp_path: Path) -> None:
    """A dead endpoint ends the run with one line after a few tries."""
    settings = choose(
        {"model": "toy-model", "base_url": "http://127.0.0.1:1/v1", "price": "2.5,10"}, {}
    )
    with pytest.raises(
        Unreachable, match="5 tries failed and nothing got through .connection failed"
    ):
        generate(SHOES, tmp_path / "shoes", writers_of=writers_with(settings, HASTY))


def test_a_ruling_can_be_looked_at(whole: Path) -> None:
    """`trace --judged` shows what a judge was asked: texts and candidates, and its answer; never
    which candidate is right.
    """
    shown = trace_text(whole, "Knowledge__kav", judged=True)
    assert (
        "What is this article about? A)" in shown
        and '"answers": [' in shown
        and "judged by toy-model" in shown
    )
