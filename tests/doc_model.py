"""The model that the guide on models leaves to its reader: it answers prompts as the test server
does, with the embedded writer's words.
"""

from functools import cache

from orgweave.testing.asked import prompt_of
from orgweave.testing.words import Words
from pipeline.config import RunRequest, load_job


@cache
def _words() -> Words:
    return Words(load_job(RunRequest("shoes", scale=0.05)))


async def ask_my_model(prompt: list[dict[str, str]]) -> list[dict[str, object]]:
    """An entry for each unit of a prompt."""
    return _words().entries(prompt_of({"messages": prompt}))
