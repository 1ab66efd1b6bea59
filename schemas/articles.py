"""The rules that a world's knowledge articles state, and the facts in its product articles.

Parts of `schemas.world`. Knows no words: the lexicon's rules have them.
"""

from typing import Annotated, Literal

from pydantic import Field

from schemas.world_part import WorldPart


class Policy(WorldPart):
    """A company policy with figures in it; each policy has an article of its own."""

    key: Annotated[str, Field(description="The name that rules use: `policy.returns.…`.")]
    title: Annotated[str, Field(description="The article's heading: `Returns and Refunds`.")]
    figures: Annotated[
        dict[str, tuple[int | float, ...]],
        Field(
            description=(
                "Candidates for each figure, of which one is drawn: `{refund_days: [5, 7, 10]}`."
            )
        ),
    ]


class PolicyTerm(WorldPart):
    """What agents tell customers of a policy's figure, rightly or wrongly."""

    policy: Annotated[str, Field(description="The policy's key: `gift_cards`.")]
    figure: Annotated[str, Field(description="The policy's figure: `credit_expiry_months`.")]
    kinder: Annotated[
        Literal["more", "less"],
        Field(description="Whether customers would rather have a larger figure or a smaller one."),
    ]
    shown: Annotated[
        str, Field(description="The figure with its unit, `{n}` being the figure: `{n} months`.")
    ]
    after: Annotated[
        tuple[str, ...],
        Field(
            description=(
                "The keys of the options with which it is told: `[store_credit]`; none stands for"
                " all."
            )
        ),
    ] = ()
    fits: Annotated[
        tuple[str, ...],
        Field(
            description=(
                "The keys of the categories whose customers ask for it: `[certificate]`; none"
                " stands for all."
            )
        ),
    ] = ()
    about: Annotated[
        tuple[str, ...],
        Field(
            description=(
                "The keys of the issues with which it comes to mind: `[late_card]`. Where an issue"
                " has such terms its customers ask for no others; a term without any is for the"
                " issues that have none of their own."
            )
        ),
    ] = ()
    asks: Annotated[
        tuple[str, ...],
        Field(
            description=(
                "How a customer asks for it, without a capital: `how long does store credit last?`."
                " Without any, what the rules on the policy are."
            )
        ),
    ] = ()
    says: Annotated[
        tuple[str, ...],
        Field(
            min_length=1,
            description=(
                "Clauses that tell it, `{shown}` being the figure with its unit: `[the credit"
                " stays good for {shown}]`."
            ),
        ),
    ]


class ProductArticle(WorldPart):
    """An article on the products of a category."""

    key: Annotated[str, Field(description="The name that rules use: `article.running_care.…`.")]
    category: Annotated[
        str, Field(description="The key of the category; without one it is on the whole range.")
    ] = ""
    topic: Annotated[str, Field(description="What the article is about, as a heading.")]


class ArticleFact(WorldPart):
    """A figure that an article on products states of this company alone."""

    article: Annotated[str, Field(description="The article's key: `running_care`.")]
    figure: Annotated[
        str,
        Field(
            description=(
                "The figure's name, as the rules `article.<key>.facts` and"
                " `article.<key>.question.<figure>` have it: `wash_fee`."
            )
        ),
    ]
    values: Annotated[
        tuple[int | float, ...],
        Field(min_length=1, description="Candidates, of which one is drawn: `[7, 9, 11]`."),
    ]
