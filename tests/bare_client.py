"""The quickest client that a person would write: the yardstick of the model's figures.

A script of aiohttp and json alone that asks for records of an object type, so many a call and so
many calls at once, and reads the answers. It plans, checks, keeps and prints nothing.

`python -m tests.bare_client URL RECORDS BATCH`
"""

import asyncio
import json
import sys

import aiohttp

AT_ONCE = 64
TELLS = "Write a few words about each note of the shop, in plain English and in at most a line. " * 12
"""Instructions as long as those of a real prompt."""


def prompt(first: int, batch: int) -> str:
    """A request for so many records, as the test server reads one."""
    units = [json.dumps({"unit": first + place, "facts": {}}) for place in range(batch)]
    return "\n".join(["Object type: Note", TELLS, *units])


async def ask(url: str, records: int, batch: int) -> None:
    """Asks for all records, 64 calls at once."""
    firsts = iter(range(0, records, batch))
    timeout = aiohttp.ClientTimeout(total=60)
    connector = aiohttp.TCPConnector(limit=AT_ONCE)
    async with aiohttp.ClientSession(connector=connector, timeout=timeout) as session:

        async def worker() -> None:
            for first in firsts:
                message = {"role": "user", "content": prompt(first, batch)}
                body = {"model": "bench", "messages": [message]}
                async with session.post(f"{url}/chat/completions", json=body) as response:
                    answer = await response.json()
                json.loads(answer["choices"][0]["message"]["content"])

        await asyncio.gather(*(worker() for _ in range(AT_ONCE)))


if __name__ == "__main__":
    asyncio.run(ask(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
