"""What a model's tokens cost, in dollars: from the bundled tables of genai-prices, or as given.

It works offline and asks nobody. Batches cost half. A model that nobody knows has no price: it
counts as free, and a cost limit is refused.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from schemas.errors import BadInput

MILLION = 1_000_000
SHORT = 1_000  # tokens of a prompt that no long-context surcharge falls on
BATCH_FACTOR = 0.5


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars for a million prompt tokens and for a million answer tokens.

    `known` is false where nobody knows them.
    """

    prompt: float
    answer: float
    known: bool = True

    def of(
        self,
        tokens_in: int,
        tokens_out: int,
    ) -> float:
        """Dollars for so many tokens: `Price(2.5, 10.0).of(1000, 100) == 0.0035`."""
        return (tokens_in * self.prompt + tokens_out * self.answer) / MILLION

    def halved(self) -> "Price":
        """The price in a batch."""
        return Price(self.prompt * BATCH_FACTOR, self.answer * BATCH_FACTOR, self.known)


def dearest(prices: Sequence[Price]) -> Price:
    """The highest of several prices, of prompts and of answers; known where all of them are."""
    return Price(
        max(price.prompt for price in prices),
        max(price.answer for price in prices),
        all(price.known for price in prices),
    )


def price_of(
    model: str,
    base_url: str,
    given: str | None = None,
) -> Price:
    """The given price (`IN,OUT`), else the bundled one, else an unknown one.

    The bundled one is that of the model at that endpoint, or anywhere. Raises BadInput for a given
    text that is no price.
    """
    if given is not None:
        return _given(given)
    for address in (base_url or None, None):
        try:
            return _bundled(model, address)
        except LookupError:
            continue
    return Price(0.0, 0.0, known=False)


def _bundled(model: str, address: str | None) -> Price:
    """The price in the tables of genai-prices; raises LookupError where they have none."""
    from genai_prices import Usage, calc_price

    each = MILLION // SHORT
    prompt = calc_price(Usage(input_tokens=SHORT), model, provider_api_url=address)
    answer = calc_price(Usage(output_tokens=SHORT), model, provider_api_url=address)
    return Price(float(prompt.total_price * each), float(answer.total_price * each))


def _given(text: str) -> Price:
    try:
        prompt, answer = (float(piece) for piece in text.split(","))
    except ValueError as error:
        raise BadInput(
            f"--price {text}: write dollars for a million prompt tokens and a million answer"
            " tokens, such as 2.5,10"
        ) from error
    if not (0 <= prompt < MILLION and 0 <= answer < MILLION):
        raise BadInput(f"--price {text}: must not be negative or above a million dollars")
    return Price(prompt, answer)
