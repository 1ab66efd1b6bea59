"""The writer and the judge of a run, made from the settings: their clients opened, their price and
budget known, closed again at the end.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Protocol

from pydantic import SecretStr

from pipeline.ledger import Ledger
from pipeline.model.batch import BatchCaller
from pipeline.model.batch_files import FolderCaller
from pipeline.model.budget import Budget
from pipeline.model.caller import Caller, EndpointCaller
from pipeline.model.chat import Chat
from pipeline.model.forms import FORMS, Forms
from pipeline.model.judge import ModelJudge
from pipeline.model.limits import Limits, Rate
from pipeline.model.prices import Price, price_of
from pipeline.model.settings import ModelSettings
from pipeline.model.transport import BatchTransport, Transport
from pipeline.model.writer import ModelWriter
from pipeline.write.prompt import Prompts, check_prompts, load_prompts
from pipeline.write.writer import Writers
from schemas.errors import BadInput
from schemas.model import Schema


class Endpoint(Transport, BatchTransport, Protocol):
    """A connection to an endpoint, for single calls and for batches."""


Connect = Callable[[str, SecretStr, int], Endpoint]
MANY_LANES = 100_000


def check_settings(settings: ModelSettings) -> None:
    """Raises BadInput before anything is done where prompts can't be read or a cost limit has no
    price to go by.
    """
    load_prompts(settings.given.prompt_dir)
    for name in dict.fromkeys(
        (settings.model, *([settings.judge_model] if settings.judged else []))
    ):
        if settings.given.max_cost is not None and not price_for(settings, name).known:
            raise BadInput(
                f"--max-cost: no price is known for model {name}; give --price IN,OUT in dollars"
                " for a million tokens, or use --max-tokens"
            )


def price_for(settings: ModelSettings, name: str) -> Price:
    """What a model's tokens cost in this run: half in batches."""
    price = price_of(name, settings.base_url, settings.given.price)
    return price.halved() if settings.given.batch else price


def openai_line(base_url: str, key: SecretStr, connections: int) -> Endpoint:
    """The `openai` client; imported here, since the embedded writer has no use for it."""
    from pipeline.model.openai_client import OpenAITransport

    return OpenAITransport(base_url, key, connections)


def model_staff(
    settings: ModelSettings, schema: Schema, ledger: Ledger, connect: Connect = openai_line
) -> AbstractAsyncContextManager[Writers]:
    """Writer and judge for `async with`; `connect` is the seam to the network."""
    return _model_staff(settings, schema, ledger, connect)


@asynccontextmanager
async def _model_staff(
    settings: ModelSettings, schema: Schema, ledger: Ledger, connect: Connect
) -> AsyncIterator[Writers]:
    check_settings(settings)
    price, prompts = price_for(settings, settings.model), load_prompts(settings.given.prompt_dir)
    check_prompts(prompts, [item.name for item in schema.objects])
    paid, tokens = ledger.paid()
    budget = Budget(paid, tokens, settings.given.max_cost, settings.given.max_tokens)
    async with _calling(settings, ledger, connect) as caller_of:
        at_once = MANY_LANES if settings.given.batch or settings.offline else settings.connections
        chat = Chat(
            settings.model,
            caller_of(settings.model),
            _forms(settings, settings.model, ledger),
            price,
            budget,
        )
        yield Writers(
            ModelWriter(settings.model, at_once, chat, prompts, schema.beats or {}),
            _judge(settings, ledger, chat, caller_of, prompts),
        )


def _judge(
    settings: ModelSettings,
    ledger: Ledger,
    chat: Chat,
    caller_of: Callable[[str], Caller],
    prompts: Prompts,
) -> ModelJudge | None:
    name = settings.judge_model
    if not settings.judged:
        return None
    if name != settings.model:
        chat = Chat(
            name,
            caller_of(name),
            _forms(settings, name, ledger),
            price_for(settings, name),
            chat.budget,
        )
    return ModelJudge(name, settings.judge_share, chat, prompts)


@asynccontextmanager
async def _calling(
    settings: ModelSettings, ledger: Ledger, connect: Connect
) -> AsyncIterator[Callable[[str], Caller]]:
    if settings.given.batch_dir is not None:
        folder = FolderCaller(settings.given.batch_dir)
        yield lambda model: folder
        return
    transport = connect(settings.base_url, settings.key, settings.connections)
    try:
        if settings.given.batch:
            batch = BatchCaller(transport, ledger, settings.base_url)
            yield lambda model: batch
            batch.forget()
        else:
            yield lambda model: EndpointCaller(
                transport, _limits(settings), f"{model} at {settings.base_url}"
            )
    finally:
        await transport.close()


def _limits(settings: ModelSettings) -> Limits:
    given = settings.given
    return Limits(
        settings.connections,
        Rate(given.rpm) if given.rpm else None,
        Rate(given.tpm) if given.tpm else None,
    )


def _forms(settings: ModelSettings, model: str, ledger: Ledger) -> Forms:
    """The form found out by an earlier run in this folder, else the strictest."""
    note = f"form {settings.base_url} {model}"
    form = ledger.note(note)
    return Forms(form if form in FORMS else FORMS[0], lambda found: ledger.set_note(note, found))
