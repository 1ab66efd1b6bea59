"""What tests share: one finished small shoe company a test process, made once."""

from pathlib import Path

import pytest

from pipeline.config import Ask
from pipeline.run import Outcome, generate


@pytest.fixture(scope="session")
def small_shoes(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """The shoe company at a tenth of its size."""
    folder: Path = tmp_path_factory.mktemp("runs") / "shoes"
    return generate(Ask("shoes", scale=0.1), folder)
