"""The pages that only `explore --teacher` has: tasks, an instance with its proof, what agents said.

Without a teacher's lessons there is no such page.
"""

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from datasette.utils.asgi import NotFound, Request, Response
from markupsafe import Markup, escape

from orgweave.explore.hidden import hidden_truth, shown_value
from orgweave.explore.lessons import Lessons, ShownInstance, ShownProof
from schemas.errors import BadInput

if TYPE_CHECKING:
    from orgweave.explore.site import Site

ROUTES = (r"^/-/tasks$", r"^/-/tasks/(?P<task>[a-z_]+)$", r"^/-/instance/(?P<instance>[\w-]+)$")
MOST_ABOUT = 40
"""Instances that a record's page lists."""


async def tasks_page(request: Request, datasette: "Site") -> Response:
    """All tasks, with agents' scores."""
    return await _page(datasette, request, "tasks.html", {})


async def task_page(request: Request, datasette: "Site") -> Response:
    """All instances of a task."""
    task = _lessons(datasette).task(request.url_vars["task"])
    if task is None:
        raise NotFound("There is no such task here.")
    answers = {instance.id: await answer_cell(datasette, instance) for instance in task.instances}
    return await _page(datasette, request, "task.html", {"task": task, "answers": answers})


async def instance_page(request: Request, datasette: "Site") -> Response:
    """An instance: question, answer, parameters, evidence, proof, and what agents said."""
    lessons = _lessons(datasette)
    instance = lessons.instance(request.url_vars["instance"])
    if instance is None:
        raise NotFound("There is no such instance here.")
    proof: ShownProof | None = None
    fault = ""
    try:
        proof = await asyncio.to_thread(lessons.prove, instance)
    except BadInput as error:
        fault = str(error)
    ranked = []
    for value, number in proof.rows if proof else ():
        ranked.append((await shown_value(datasette.reading, value), number))
    context = {
        "instance": instance,
        "answer": await answer_cell(datasette, instance),
        "parameters": await _values(datasette, instance.parameters),
        "evidence": await _values(datasette, instance.evidence),
        "proof": proof,
        "ranked": ranked,
        "fault": fault,
        "attempts": lessons.attempts.get(instance.id, ()),
    }
    return await _page(datasette, request, "instance.html", context)


PAGES = dict(zip(ROUTES, (tasks_page, task_page, instance_page), strict=True))
"""Each address of these pages, and what answers it."""


async def of_record(datasette: "Site", key: str) -> dict[str, Any]:
    """What a teacher sees on a record's page: its hidden truth, and where it is asked about."""
    about = _lessons(datasette).about(key)
    return {
        "hidden": await hidden_truth(datasette.explored.hidden, datasette.reading, key),
        "about": about[:MOST_ABOUT],
        "about_count": len(about),
    }


async def answer_cell(datasette: "Site", instance: ShownInstance) -> Markup:
    """An instance's answer, ids as links."""
    if not instance.answer:
        return Markup('<span class="no">nothing answers</span>')
    shown = [await shown_value(datasette.reading, value) for value in instance.answer]
    return Markup(", ").join(shown)


async def _values(datasette: "Site", values: Mapping[str, object]) -> list[tuple[str, Markup]]:
    """Named values of JSON, ids as links; what is nested is shown as it is."""
    shown = []
    for name, value in values.items():
        text = "" if value is None else str(value)
        link = await datasette.reading.link(text)
        cell = Markup(escape(text))
        if link is not None:
            cell = Markup('<a href="{}">{}</a>').format(link.url, link.label)
        shown.append((name, cell))
    return shown


def _lessons(datasette: "Site") -> Lessons:
    lessons = datasette.explored.lessons
    if lessons is None:
        raise NotFound("This page is a teacher's.")
    return lessons


async def _page(
    datasette: "Site",
    request: Request,
    template: str,
    context: dict[str, Any],
) -> Response:
    context["lessons"] = _lessons(datasette)
    name = template.partition(".")[0]
    return Response.html(
        await datasette.render_template(template, context, request=request, view_name=name)
    )
