"""What a company of a world sells: categories, the groups they are for, and variants.

Parts of `schemas.world`. Knows no products: those are drawn.
"""

from typing import Annotated, Literal

from pydantic import Field, field_validator

from schemas.incidents import Mark
from schemas.terms import ByAge, Terms, Weight
from schemas.trade_part import rising
from schemas.world_part import Dollars, Month, WorldPart


def key_of_name(name: str) -> str:
    """The key of a category of which a profile states only the name: `garden_tools`."""
    return "".join(sign if sign.isalnum() else "_" for sign in name.lower())


class TargetGroup(WorldPart):
    """Whom products are made for, and the sizes that such people wear."""

    key: Annotated[str, Field(description="The name that categories use: `women`.")]
    name: Annotated[str, Field(description="The name in the CRM: `Women`.")]
    gender: Annotated[
        Literal["female", "male"] | None,
        Field(description="Only for people of this gender; for all of them without it."),
    ] = None
    ages: Annotated[
        tuple[Annotated[int, Field(ge=0, le=130)], Annotated[int, Field(ge=0, le=130)]],
        Field(description="The youngest and the oldest whom it is for: `[0, 12]`."),
    ] = (0, 130)
    grows: Annotated[
        bool,
        Field(description="Whether they grow: the size follows from the age within `ages`."),
    ] = False
    need: Annotated[
        Weight, Field(description="How much such a person needs, in proportion to others.")
    ] = 1.0
    price: Annotated[
        Weight, Field(description="What products for them cost, in proportion to the others.")
    ] = 1.0
    sizes: Annotated[
        tuple[str, ...], Field(description="The sizes that are made, smallest first.")
    ] = ()
    usual: Annotated[
        str, Field(description="The size that most of them wear; the one in the middle without it.")
    ] = ""
    spread: Annotated[
        Weight, Field(description="How many sizes around it two thirds of them wear.")
    ] = 2.5
    unsaid: Annotated[
        tuple[Mark, ...],
        Field(
            description=(
                "Words that nobody uses of what is made for them, as a category's `unsaid` has"
                " them: of children's shoes `[my feet, at work]`."
            )
        ),
    ] = ()


class Variants(WorldPart):
    """How the pieces of one product differ; what is bought stands on the order's line."""

    Size: Annotated[
        bool, Field(description="Whether pieces come in the sizes of the product's target group.")
    ] = False
    Color: Annotated[
        tuple[str, ...], Field(description="The colors, of which a product comes in a few.")
    ] = ()
    Width: Annotated[
        dict[str, Weight],
        Field(description="The widths, each with its weight: `{Regular: 8, Wide: 1.5}`."),
    ] = {}


class Buyers(WorldPart):
    """The customers who alone have a use for a category."""

    share: Annotated[
        float, Field(gt=0, le=1, description="Which share of the customers they are: `0.14`.")
    ]
    label: Annotated[
        str, Field(min_length=1, description="What the CRM calls them: `Business Owner`.")
    ]


class Category(WorldPart):
    """A product category: what it is called, when it sells and what it costs."""

    key: Annotated[str, Field(description="The name that other parts use: `hiking`.")]
    name: Annotated[str, Field(description="The name in the catalog: `Hiking Boots`.")]
    description: Annotated[str, Field(description="One sentence for the catalog, or nothing.")] = ""
    peak: Annotated[
        tuple[Month, ...],
        Field(description="The months in which it sells more, 1 to 12: `[10, 11, 12, 1]`."),
    ] = ()
    price: Annotated[
        tuple[Dollars, Dollars],
        Field(description="The lowest and the highest list price in dollars: `[85, 190]`."),
    ]
    weight: Annotated[
        float,
        Field(
            gt=0,
            allow_inf_nan=False,
            description=(
                "How many of the products are in it, in proportion to the other categories."
            ),
        ),
    ] = 1.0
    short: Annotated[
        tuple[str, ...],
        Field(
            min_length=1,
            description=(
                "What customers call such a product in a sentence: `[hiking boots, boots]`."
            ),
        ),
    ]
    plural: Annotated[
        bool, Field(description="Whether those words are plural: `boots are`, not `boots is`.")
    ] = False
    unsaid: Annotated[
        tuple[Mark, ...],
        Field(
            description=(
                "Words that nobody uses of it, in small letters, stems ending in `*`: of gas"
                " `[freezer, breaker*]`. Wordings with one of them are for other categories."
            )
        ),
    ] = ()
    terms: Annotated[
        Terms,
        Field(description="What a contract says, where accounts or subscriptions are sold."),
    ] = Terms()
    also: Annotated[
        dict[str, Weight],
        Field(
            description=(
                "In which other categories its products stand too, by key, each with its weight:"
                " `{winter: 3, rain: 1}`. Products of a category that names none stand in one."
            )
        ),
    ] = {}
    groups: Annotated[
        dict[str, Weight],
        Field(
            description=(
                "For whom its products are made: keys of the world's target groups, each with its"
                " weight: `{women: 5, men: 4}`."
            )
        ),
    ] = {}
    variants: Annotated[
        Variants, Field(description="How the pieces of a product differ: sizes, colors, widths.")
    ] = Variants()
    quantity: Annotated[
        dict[Annotated[int, Field(ge=1)], Weight],
        Field(
            description=(
                "How many pieces stand on an order's line, where that is unlike the trade's:"
                " `{1: 6, 2: 3}`."
            )
        ),
    ] = {}
    holding: Annotated[
        Annotated[int, Field(ge=0)] | None,
        Field(
            description=(
                "The most of this category that one customer may hold: 1 for mortgages. Without"
                " it there is no limit."
            )
        ),
    ] = None
    by_age: Annotated[
        ByAge,
        Field(
            description=(
                "How much more customers of some ages want it than others, evenly between the ages:"
                " `{20: 0.2, 35: 1.6, 70: 0.2}`. Everybody alike without it."
            )
        ),
    ] = {}
    returned: Annotated[
        Weight,
        Field(
            description=(
                "How much more often its pieces come back than others, where anything does: 1.4 of"
                " what has to fit, 0.6 of what hardly can't."
            )
        ),
    ] = 1.0
    only: Annotated[
        Buyers | None,
        Field(
            description=(
                "Who alone buys of it, where not everybody does: business accounts are for who"
                " runs a business."
            )
        ),
    ] = None

    @field_validator("price")
    @classmethod
    def _price_rises(cls, price: tuple[float, float]) -> tuple[float, float]:
        return rising(price, "falls from {:g} to {:g}; swap the two")
