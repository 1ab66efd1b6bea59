"""An evaluation put together: samples from instances, the CRM that agents work in, the agent that
was asked for. Runs nothing.

The CRM is opened in process from the run's folder, or reached at a server; every sample shares it.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from inspect_ai.dataset import Sample
from pydantic import TypeAdapter, ValidationError

from orgweave.benchmark.evaluate.checks import check_model, check_positive, check_url
from orgweave.benchmark.evaluate.instances import check_origin, load_instances
from orgweave.benchmark.evaluate.model_agents import MOST_ACTIONS
from orgweave.benchmark.evaluate.scorer import NOBODY
from orgweave.benchmark.evaluate.scripted import SCRIPTED, UsualAnswers, usual_answers
from orgweave.benchmark.idmap import LOCAL
from orgweave.benchmark.instance import QueryInstance
from orgweave.benchmark.registry import TASKS
from orgweave.crm.build import crm_objects
from orgweave.crm.seam import Crm
from orgweave.tools.crm import local_crm
from orgweave.tools.schema_text import schema_text
from pipeline.atomic import sha256_of
from pipeline.run_folder import ORG_FILE, RunFolder
from schemas.country import DEFAULT_LOCALE
from schemas.errors import BadInput, QueryRefused
from schemas.object_type import ObjectType

MODEL_AGENTS = ("act", "react", "fc")
COMPARED = 20
"""Records of each object type by which a server's org is told from the folder's."""


@dataclass(frozen=True, slots=True)
class EvaluationRequest:
    """What is to be evaluated: the run's folder, the agent, which tasks and how many instances of
    each, what the agent is told and may do.

    `extractor` is a model that is asked for answers where rules find none, `server` the instance
    URL of a CRM to work in. `trust` takes an org that was edited.
    """

    folder: Path
    agent: str
    tasks: tuple[str, ...] = ()
    limit: int | None = None
    hints: bool = False
    actions: int = MOST_ACTIONS
    extractor: str | None = None
    server: str | None = None
    trust: bool = False


def wanted_of(given: Mapping[str, object]) -> EvaluationRequest:
    """The request in values that Inspect's `-T` typed by their looks; raises BadInput that names
    the one at fault, before anything is opened.
    """
    try:
        wanted = TypeAdapter(EvaluationRequest).validate_python(given)
    except ValidationError as error:
        fault = error.errors()[0]
        name = str(fault["loc"][0])
        option = "org" if name == "folder" else name
        raise BadInput(f"-T {option}={given[name]}: {fault['msg']}") from error
    check_agent(wanted.agent)
    check_positive("--actions", wanted.actions)
    check_url("--server", wanted.server)
    if wanted.extractor is not None:
        check_model("--extractor-model", wanted.extractor)
    return wanted


def check_agent(agent: str) -> None:
    """Raises BadInput for an agent that there isn't."""
    if agent not in MODEL_AGENTS and agent not in SCRIPTED:
        raise BadInput(
            f"--agent {agent}: no such agent; use one of {', '.join([*MODEL_AGENTS, *SCRIPTED])}"
        )


def chosen_instances(wanted: EvaluationRequest) -> list[QueryInstance]:
    """The instances of the wanted tasks that the agent fits; raises BadInput where there are none,
    or where they are of another org.
    """
    check_agent(wanted.agent)
    fits = SCRIPTED[wanted.agent].tasks if wanted.agent in SCRIPTED else tuple(TASKS)
    # An unknown task stays in, so that it is told as unknown and not as one that doesn't fit.
    tasks = tuple(task for task in wanted.tasks or TASKS if task in fits or task not in TASKS)
    if not tasks:
        raise BadInput(
            f"--tasks {','.join(wanted.tasks)}: {wanted.agent} fits none of them, only"
            f" {','.join(fits)}"
        )
    run = RunFolder(wanted.folder)
    manifest = run.read_manifest()
    run.verify(ORG_FILE, trust=wanted.trust)
    check_origin(wanted.folder, manifest.company, manifest.seed, sha256_of(run.require_org()))
    return load_instances(wanted.folder, tasks, wanted.limit)


def sample_of(instance: QueryInstance, locale: str = DEFAULT_LOCALE) -> Sample:
    """An instance as Inspect has samples; what a solver may know stands in the metadata, the answer
    only in the target. `locale` is the company's.
    """
    told = instance.metadata
    return Sample(
        id=instance.id,
        input=instance.query,
        target=[NOBODY if value is None else value for value in instance.answer],
        metadata={
            "task": instance.task,
            "short": TASKS[instance.task].short,
            "persona": instance.persona,
            "required": told.required,
            "optional": told.optional,
            "answerable": instance.answerable,
            "reward_metric": instance.reward_metric,
            "group": instance.group,
            "fact": instance.fact,
            "parameters": instance.parameters,
            "evidence": instance.evidence or {},
            "locale": locale,
        },
    )


def usual_of(instances: Sequence[QueryInstance]) -> UsualAnswers:
    """The usual answer of each task."""
    return usual_answers((instance.task, tuple(instance.answer)) for instance in instances)


def told_of_objects(folder: Path) -> str:
    """What agents that write queries are told of the org's objects."""
    return schema_text(crm_objects(RunFolder(folder).read_schema()).values())


@contextmanager
def opened(
    folder: Path,
    server: str | None,
    token: str,
    compare: bool,
) -> Iterator[Crm]:
    """The CRM to work in: a server's where one is named, else the folder's org in process.

    With `compare` the server's org must be the folder's, record by record.
    """
    if server is None:
        with local_crm(folder) as crm:
            yield crm
        return
    from orgweave.tools.remote import RemoteCrm

    with RemoteCrm(server, token) as remote:
        with local_crm(folder) as local:
            _require_same_org(folder, local, server, remote, compare)
        yield remote


def has_local_ids(instances: Sequence[QueryInstance]) -> bool:
    """Whether some instance names a record as the folder's org does; after `tasks --idmap` all of
    them name records as the CRM does that the org was uploaded to.
    """
    return any(LOCAL.search(instance.as_json()) for instance in instances)


def _require_same_org(folder: Path, local: Crm, server: str, remote: Crm, compare: bool) -> None:
    """Raises BadInput where a server lacks an object type, or, with `compare`, where its first
    records of one aren't the folder's.

    Compared are names, dates and references: with another seed, or one object type made anew, some
    of them differ.
    """
    for item in RunFolder(folder).read_schema().objects:
        query = _comparing(item)
        try:
            found = remote.query(query)
        except QueryRefused as error:
            raise BadInput(
                f"--server {server}: refuses {query} ({error.code}: {error}); name a CRM that holds"
                " the org's records"
            ) from error
        if compare and found != local.query(query):
            raise BadInput(
                f"--server {server}: its {item.name} records are not those of {folder}; serve that"
                " folder's org there, or name the folder whose org it serves"
            )


def _comparing(item: ObjectType) -> str:
    """The query for an object type's first records, with what tells them from another org's."""
    names = ["Id"]
    for field in item.fields:
        if field.reference or field.name == "Name" or field.format in ("date", "date-time"):
            names.append(field.name)
    return f"SELECT {', '.join(names)} FROM {item.name} ORDER BY Id LIMIT {COMPARED}"
