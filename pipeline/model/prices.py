"""What a model's tokens cost, in dollars: from the bundled tables of genai-prices, or as given.

Works offline; asks nobody.

Batches cost half. A model that nobody knows has no price: it counts as free, and a cost limit is
refused.
"""

from dataclasses import dataclass

from schemas.errors import BadInput

MILLION = 1_000_000
SHORT = 1_000  # tokens of a prompt that no long-context surcharge falls on
BATCH_FACTOR = 0.5


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars for a million prompt tokens and a million answer tokens; `known` is false where it is
    a guess of nothing.
    """

    prompt: float
    answer: float
    known: bool = True

    def of(self, tokens_in: int, tokens_out: int) -> float:
        """Dollars for so many tokens: `Price(2.5, 10.0).of(1000, 100) == 0.0035`."""
        return (tokens_in * self.prompt + tokens_out * self.answer) / MILLION

    def halved(self) -> "Price":
        """The price in a batch."""
        return Price(self.prompt * BATCH_FACTOR, self.answer * BATCH_FACTOR, self.known)


def price_of(model: str, base_url: str, given: str | None = None) -> Price:
    """The given price (`IN,OUT`), else the bundled one of that model at that endpoint or anywhere,
    else an unknown one.
    """
    if given is not None:
        return _given(given)
    from genai_prices import Usage, calc_price

    for address in (base_url or None, None):
        try:
            parts = (Usage(input_tokens=SHORT), Usage(output_tokens=SHORT))
            prompt, answer = (
                float(
                    calc_price(part, model, provider_api_url=address).total_price
                    * (MILLION // SHORT)
                )
                for part in parts
            )
            return Price(prompt, answer)
        except LookupError:
            continue
    return Price(0.0, 0.0, known=False)


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
