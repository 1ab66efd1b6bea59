"""The seam to whoever writes the words: the embedded writer, a model, a test's fake."""

from typing import Protocol

from pipeline.write.request import Answer, WriteRequest


class Writer(Protocol):
    """Answers requests. `name` is kept in the ledger and the manifest."""

    name: str

    async def write(self, request: WriteRequest) -> Answer:
        """Entries for the request's units, in any order, maybe some missing or wrong: the verifiers decide."""
