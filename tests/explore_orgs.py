"""A toy org to explore: its schema has no tour, a text with line breaks, a label through a
reference, and ids held in a list.
"""

from pathlib import Path

from pipeline.config import RunRequest
from pipeline.run import generate
from tests.toys import write_company, write_object


def toy_run(folder: Path, more: str = "") -> Path:
    """The finished run of a toy company: Shops, and Visits to them; `more` is of its profile."""
    schema = folder / "toy"
    write_object(
        schema,
        "Shop",
        'Name: {type: string, x-source: {sequence: "Shop <{:02d}>"}}',
        count="{number: 4}",
    )
    write_object(
        schema,
        "Visit",
        """
        ShopId: {type: string, x-source: {reference: Shop, by: uniform}}
        Mood: {type: string, enum: [Glad, Sad], x-source: {choice: [Glad, Sad]}}
        VisitDate: {type: string, format: date, x-source: {range: [period.start, period.end]}}
        """,
        count="{number: 40}",
        more='x-label: "{Mood} visit to {ShopId.Name}"',
    )
    return generate(RunRequest(str(write_company(folder, more))), folder / "run").folder
