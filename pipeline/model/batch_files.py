"""`--batch-dir`: requests written to files, answers read from files that someone puts beside them; nothing is sent anywhere.

`wave-0001.requests.jsonl` holds OpenAI Batch input. Any other `.jsonl` file in the folder is read as Batch output (a line for each custom_id), so
that an engine such as vLLM's `run_batch`, here or on a cluster, can answer. Each run of the same command goes as far as the answers reach.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pipeline.model.caller import BodyOf, KeyOf
from pipeline.model.replies import Kind, meaning_of
from pipeline.model.transport import Reply
from pipeline.model.waves import Waves, files_of, lines_of, reply_in
from schemas.errors import AnswersAwaited, BadInput, CallFailed, StorageFailed

REQUESTS = ".requests.jsonl"


class FolderCaller:
    """A Caller whose answers lie in a folder. Raises AnswersAwaited when all that could be asked is written down."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._waves = Waves(self._write)
        _make(folder)
        self._answers = {key: reply for file in _others(folder) for key, reply in _answers(file)}
        self._asked = {str(line.get("custom_id")) for file in sorted(folder.glob(f"*{REQUESTS}")) for line in _lines(file)}

    async def call(self, body_of: BodyOf, tokens: int, key_of: KeyOf) -> Reply:
        """The answer in the folder; without one, the request goes into the next wave's file."""
        key = key_of()
        reply = self._answers.get(key)
        if reply is None or meaning_of(reply).kind in (Kind.AGAIN, Kind.BUSY):
            return await self._waves.ask(key, body_of())
        if (meaning := meaning_of(reply)).kind is Kind.USELESS:
            raise CallFailed(f"{self.folder}: request {key}: {meaning.says}; answer it anew or mend the engine")
        return reply

    async def _write(self, wave: Mapping[str, Mapping[str, object]]) -> None:
        fresh = {key: body for key, body in wave.items() if key not in self._asked or key in self._answers}
        written = [self._file(text) for text in files_of(lines_of(fresh))]
        names = f"{', '.join(written)}; " if written else ""
        raise AnswersAwaited(f"{self.folder}: {names}{len(wave):,} requests wait for answers ({len(fresh):,} of them new); put OpenAI Batch output there as .jsonl and run the same command again")

    def _file(self, text: str) -> str:
        number = 1 + sum(1 for _ in self.folder.glob(f"*{REQUESTS}"))
        path = self.folder / f"wave-{number:04d}{REQUESTS}"
        try:
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            raise StorageFailed(f"{path}: can't be written ({error.strerror}); check space and rights, then run the same command again") from error
        return path.name


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"--batch-dir {folder}: can't be made ({error.strerror}); choose another folder") from error


def _others(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.glob("*.jsonl")) if not path.name.endswith(REQUESTS)]


def _answers(path: Path) -> Iterator[tuple[str, Reply]]:
    for line in _lines(path):
        reply = reply_in(line)
        if reply is not None and isinstance(line.get("custom_id"), str):
            yield line["custom_id"], reply


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    """The file's JSON objects; a last line that is only half written is left for the next time."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path}: can't be read ({error}); put a UTF-8 file with a JSON object a line there") from error
    for number, line in enumerate(lines, 1):
        try:
            data = json.loads(line) if line.strip() else None
        except ValueError as error:
            if number == len(lines):
                continue
            raise BadInput(f"{path}: line {number} is not JSON ({error}); write one JSON object a line") from error
        if isinstance(data, dict):
            yield data
