"""`--batch-dir`: requests written to files, answers read from files that someone puts beside them.

Nothing is sent anywhere. `wave-0001.requests.jsonl` holds OpenAI Batch input. Any other `.jsonl`
file in the folder is read as Batch output (a line for each custom_id), so that an engine such as
vLLM's `run_batch`, here or on a cluster, can answer. Each run of the same command goes as far as
the answers reach.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pipeline.atomic import CHECK_DISK
from pipeline.model.caller import BodyOf, KeyOf
from pipeline.model.pauses import USUAL, Pauses
from pipeline.model.replies import ReplyKind, meaning_of
from pipeline.model.transport import ModelReply
from pipeline.model.waves import Waves, files_of, reply_in
from schemas.errors import AnswersAwaited, BadInput, CallFailed, PromptRefused, StorageFailed
from schemas.regular import json_of, regular_bytes

REQUESTS = ".requests.jsonl"
WAVE = re.compile(r"wave-(\d+)\.")


class FolderCaller:
    """A Caller whose answers lie in a folder.

    Raises AnswersAwaited when all that could be asked is written down, which it is after some
    seconds without a new request (`pauses.quiet`).
    """

    def __init__(self, folder: Path, pauses: Pauses = USUAL) -> None:
        self.folder = folder
        self._waves = Waves(self._write, pauses.quiet)
        _make(folder)
        self._asked: Counter[str] = Counter()
        self._answered: Counter[str] = Counter()
        self._answers: dict[str, ModelReply] = {}
        for file in sorted(folder.glob("*.jsonl")):
            for line in _lines(file):
                key = str(line.get("custom_id"))
                if file.name.endswith(REQUESTS):
                    self._asked[key] += 1
                else:
                    self._read(key, reply_in(line))

    async def call(
        self,
        body_of: BodyOf,
        tokens: int,
        key_of: KeyOf,
    ) -> ModelReply:
        """The answer in the folder; without one, the request goes into the next wave's file."""
        key = key_of()
        reply = self._answers.get(key)
        if reply is None:
            return await self._waves.ask(key, body_of())
        meaning = meaning_of(reply)
        if meaning.kind is ReplyKind.ANSWER:
            return reply
        if meaning.kind is ReplyKind.REFUSED:
            raise PromptRefused(meaning.says)
        if meaning.kind in (ReplyKind.USELESS, ReplyKind.OVER):
            raise CallFailed(
                f"{self.folder}: request {key}: {meaning.says}; answer it anew or mend the engine"
            )
        if meaning.kind is ReplyKind.FORM and self._all_answered(key):
            # Once: the same request is then asked in another form, under the same key.
            del self._answers[key]
            return reply
        return await self._waves.ask(key, body_of())

    def _read(
        self,
        key: str,
        reply: ModelReply | None,
    ) -> None:
        """Takes over one line of output.

        An answer stands whatever other lines of that request say.
        """
        self._answered[key] += 1
        if reply is None:
            return
        before = self._answers.get(key)
        if before is None or meaning_of(before).kind is not ReplyKind.ANSWER:
            self._answers[key] = reply

    def _all_answered(self, key: str) -> bool:
        """Whether each line that asks this request has its line of output.

        If that was no answer (it failed or expired), the request may be asked anew then.
        """
        return self._answered[key] >= self._asked[key]

    async def _write(self, wave: Mapping[str, Mapping[str, object]]) -> None:
        fresh = {key: body for key, body in wave.items() if self._all_answered(key)}
        written = [self._file(text) for text in files_of(fresh)]
        names = f"{', '.join(written)}; " if written else ""
        raise AnswersAwaited(
            f"{self.folder}: {names}{len(wave):,} requests wait for answers ({len(fresh):,} of them"
            " new); put OpenAI Batch output there as .jsonl and run the same command again"
        )

    def _file(self, text: str) -> str:
        last = 0
        for other in self.folder.glob("*"):
            wave = WAVE.match(other.name)
            if wave:
                last = max(last, int(wave.group(1)))
        path = self.folder / f"wave-{last + 1:04d}{REQUESTS}"
        try:
            with path.open("x", encoding="utf-8") as file:
                file.write(text)
        except OSError as error:
            raise StorageFailed(
                f"{path}: can't be written ({error.strerror}); {CHECK_DISK}"
            ) from error
        return path.name


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(
            f"--batch-dir {folder}: can't be made ({error.strerror}); choose another folder"
        ) from error


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    """Yields the file's JSON objects.

    A last line that is only half written is left for the next time.
    """
    try:
        lines = regular_bytes(path).rstrip(b"\r\n").split(b"\n")
    except OSError as error:
        raise BadInput(
            f"{path}: can't be read ({error.strerror}); put a UTF-8 file with a JSON object a line"
            " there"
        ) from error
    for number, line in enumerate(lines, 1):
        try:
            data = json_of(line) if line.strip() else None
        except ValueError as error:
            if number == len(lines):
                continue
            raise BadInput(
                f"{path}: line {number} is not JSON ({error}); write one JSON object a line"
            ) from error
        if isinstance(data, dict):
            yield data
