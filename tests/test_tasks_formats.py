"""The card of a set of tasks: what Hugging Face reads from it."""

import pytest

from orgweave.benchmark.formats import size_category

pytestmark = pytest.mark.quick


@pytest.mark.parametrize(
    ("total", "category"),
    [
        (1, "n<1K"),
        (999, "n<1K"),
        (1_000, "1K<n<10K"),
        (9_999, "1K<n<10K"),
        (10_000, "10K<n<100K"),
    ],
)
def test_a_set_is_of_the_category_that_its_size_reaches(total: int, category: str) -> None:
    """A thousand questions are no longer fewer than a thousand."""
    assert size_category(total) == category
