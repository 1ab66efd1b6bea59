"""The request for a question's wording.

Its object type's name says which task and seed query it words, and so by which rule. Example:
`TaskQuery handle_time named` is worded by the rule `task.handle_time.named`; the facts hold the
seed query, filled in.
"""

from schemas.object_type import Count, ObjectType
from verifiers.answer import MUST
from verifiers.material import WrittenField

QUERY = "TaskQuery"
INSTRUCTION = (
    "The seed query as this persona would put it to an assistant, in one or two sentences of plain"
    " English: it asks exactly the same, adds nothing, and keeps every name, number, id and period"
    " as it stands. Where `twin` holds another question, this one is worded like it but for what"
    " they differ in."
)
SCHEMA = {"type": "string", "minLength": 10, "maxLength": 1000}
WORDS = 25


def query_item(task: str, seed: str) -> ObjectType:
    """The object type that stands for a task's queries of one seed; no schema has it."""
    return ObjectType(
        name=f"{QUERY} {task} {seed}",
        file="pipeline/write/queries.py",
        description="A question about the org, as its reader would ask it.",
        key_prefix="",
        count=Count(),
        fields=(),
    )


def query_field(name: str) -> WrittenField:
    """The one written field of such an object type, by its name.

    A seed with a rule of its own (`policy.returns.question.refund_days`) is worded by that.
    """
    _, task, seed = name.split(" ")
    own = seed.startswith(("policy.", "article."))
    rule = seed if own else f"task.{task}.{seed}"
    return WrittenField(
        "Query",
        INSTRUCTION,
        (MUST,),
        SCHEMA,
        rule=rule,
        words=WORDS,
    )
