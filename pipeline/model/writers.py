"""The writer and the judge of a run that calls a model, made from its settings.

Their clients are opened here, given their prices and one budget, and closed again at the end.
"""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar
from urllib.request import getproxies

from pipeline.ledger import Ledger
from pipeline.model.batch import BatchCaller
from pipeline.model.batch_files import FolderCaller
from pipeline.model.budget import Budget
from pipeline.model.caller import Caller, EndpointCaller
from pipeline.model.chat import Chat
from pipeline.model.endpoints import ManyEndpoints
from pipeline.model.forms import FORMS, Forms
from pipeline.model.judge import ModelJudge
from pipeline.model.limits import Limits, Rate
from pipeline.model.pauses import USUAL, Pauses
from pipeline.model.settings import OPENAI_CLIENT, ModelSettings
from pipeline.model.transport import Transport
from pipeline.model.writer import ModelWriter
from pipeline.write.prompt import Prompts, check_prompts, load_prompts
from pipeline.write.senses import NO_SENSES, Senses
from pipeline.write.work import LANE
from pipeline.write.writer import Writer, Writers, no_outage
from schemas.errors import BadInput
from schemas.model import Schema

if TYPE_CHECKING:
    from pipeline.model.openai_client import OpenAITransport

TransportT = TypeVar("TransportT", bound=Transport)
CallerOf = Callable[[str], Caller]
SingleCalls = EndpointCaller | ManyEndpoints
# A wave should hold all that can be asked by now: no lane waits for another one's answer.
MANY_LANES = 100_000


def check_settings(settings: ModelSettings) -> None:
    """Raises BadInput before anything is done.

    That is where prompts can't be read, or a cost limit has no price to go by.
    """
    load_prompts(settings.prompt_dir)
    if settings.max_cost is None:
        return
    for name in settings.models:
        if not settings.price_of(name).known:
            raise BadInput(
                f"--max-cost: no price is known for model {name}; give --price IN,OUT in dollars"
                " for a million tokens, or use --max-tokens"
            )


def transport_of(settings: ModelSettings, address: str, proxies: Mapping[str, str]) -> Transport:
    """The client that single calls to an endpoint go through.

    It is the `openai` client where it is asked for or where there are proxies, else the quicker
    one. Each is imported here, since the embedded writer has no use for them.
    """
    if settings.client == OPENAI_CLIENT or proxies:
        return _openai_client(settings, address)
    from pipeline.model.aiohttp_client import AiohttpTransport

    return AiohttpTransport(address, settings.key, settings.max_connections)


def _openai_client(settings: ModelSettings, address: str) -> "OpenAITransport":
    from pipeline.model.openai_client import OpenAITransport

    return OpenAITransport(address, settings.key, settings.max_connections)


def model_writers(
    settings: ModelSettings,
    schema: Schema,
    ledger: Ledger,
    fallback: Writer | None = None,
    pauses: Pauses = USUAL,
    senses: Senses = NO_SENSES,
) -> AbstractAsyncContextManager[Writers]:
    """Writer and judge for `async with`.

    `fallback` writes what the model withholds; `senses` tell the model what keys mean.
    """
    return _open_writers(settings, schema, ledger, fallback, pauses, senses)


@asynccontextmanager
async def _open_writers(
    settings: ModelSettings,
    schema: Schema,
    ledger: Ledger,
    fallback: Writer | None,
    pauses: Pauses,
    senses: Senses,
) -> AsyncIterator[Writers]:
    check_settings(settings)
    prompts = load_prompts(settings.prompt_dir)
    check_prompts(prompts, [item.name for item in schema.objects])
    paid, tokens = ledger.paid()
    budget = Budget(paid, tokens, settings.max_cost, settings.max_tokens)
    async with _calling(settings, ledger, pauses) as caller_of:
        opening = _Opening(settings, ledger, caller_of, budget)
        chat = opening.chat(settings.model)
        waves = settings.batch or settings.offline
        at_once = MANY_LANES if waves else settings.max_connections
        writer = ModelWriter(
            settings.model,
            at_once,
            chat,
            prompts,
            schema.beats or {},
            senses,
        )
        yield Writers(
            writer,
            judge=opening.judge(chat, prompts),
            fallback=fallback,
            calls=not waves,
            local=True,
            lane=LANE,
            outage=_outage_of(chat.caller),
        )


@asynccontextmanager
async def model_chat(settings: ModelSettings, pauses: Pauses = USUAL) -> AsyncIterator[Chat]:
    """The model by itself, for what is asked of it outside of a run.

    Raises BadInput where it is to be called by batches or files, which only a run can wait for.
    """
    if settings.batch or settings.offline:
        raise BadInput("--batch and --batch-dir: can't draft a company; leave them out")
    check_settings(settings)
    async with _transports(settings) as transports:
        caller = _single_calls(transports, settings, settings.model, pauses)
        budget = Budget(0.0, 0, settings.max_cost, settings.max_tokens)
        yield Chat(settings.model, caller, Forms(), settings.price_of(settings.model), budget)


@dataclass(frozen=True, slots=True)
class _Opening:
    """What the chats of a run share."""

    settings: ModelSettings
    ledger: Ledger
    caller_of: CallerOf
    budget: Budget

    def chat(self, model: str) -> Chat:
        return Chat(
            model=model,
            caller=self.caller_of(model),
            forms=self._forms(model),
            price=self.settings.price_of(model),
            budget=self.budget,
        )

    def judge(
        self,
        writers_chat: Chat,
        prompts: Prompts,
    ) -> ModelJudge | None:
        """The judge, who talks through the writer's chat where it is the same model."""
        name = self.settings.judge_model
        share = self.settings.judged_share
        if share is None:
            return None
        chat = writers_chat if name == writers_chat.model else self.chat(name)
        return ModelJudge(name, share, chat, prompts)

    def _forms(self, model: str) -> Forms:
        """The form found out by an earlier run in this folder, else the strictest."""
        note = f"form {' '.join(self.settings.base_url)} {model}"
        form = self.ledger.note(note)
        known = form if form in FORMS else FORMS[0]
        return Forms(known, lambda found: self.ledger.set_note(note, found))


@asynccontextmanager
async def _calling(
    settings: ModelSettings,
    ledger: Ledger,
    pauses: Pauses,
) -> AsyncIterator[CallerOf]:
    """How a model is called: by files in a folder, by batches, or by one call a request."""
    if settings.batch_dir is not None:
        folder = FolderCaller(settings.batch_dir, pauses)
        yield lambda model: folder
        return
    if settings.batch:
        [address] = settings.base_url
        async with closing(_openai_client(settings, address)) as client:
            batch = BatchCaller(client, ledger, address, pauses)
            yield lambda model: batch
            batch.forget()
        return
    async with _transports(settings) as transports:
        yield lambda model: _single_calls(transports, settings, model, pauses)


@asynccontextmanager
async def _transports(settings: ModelSettings) -> AsyncIterator[Mapping[str, Transport]]:
    """The clients of all endpoints by their addresses, closed in the end."""
    proxies = getproxies()
    async with AsyncExitStack() as opened:
        transports: dict[str, Transport] = {}
        for address in settings.base_url:
            client = closing(transport_of(settings, address, proxies))
            transports[address] = await opened.enter_async_context(client)
        yield transports


def _single_calls(
    transports: Mapping[str, Transport],
    settings: ModelSettings,
    model: str,
    pauses: Pauses,
) -> SingleCalls:
    """One call a request, to the endpoint or to several; the rates are those of all together."""
    requests = Rate(settings.rpm) if settings.rpm else None
    tokens = Rate(settings.tpm) if settings.tpm else None
    callers = []
    for address, transport in transports.items():
        caller = EndpointCaller(
            transport,
            Limits(settings.max_connections, requests, tokens),
            f"{model} at {address}",
            first_wait=pauses.retry,
            patience=settings.patience,
        )
        callers.append(caller)
    if len(callers) == 1:
        return callers[0]
    return ManyEndpoints(callers, settings.max_connections)


def _outage_of(caller: Caller) -> Callable[[], str]:
    """Who tells that calls aren't answered; files and batches are waited for anyway."""
    return caller.outage if isinstance(caller, SingleCalls) else no_outage


@asynccontextmanager
async def closing(transport: TransportT) -> AsyncIterator[TransportT]:
    """Closes a client's connections in the end."""
    try:
        yield transport
    finally:
        await transport.close()
