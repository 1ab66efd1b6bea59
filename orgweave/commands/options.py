"""Options that the commands share which make something: what is asked for, which model writes.

Knows no command. What only a run needs is imported when it runs: help shows at once without.
"""

import argparse
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from orgweave.commands.common import named_path
from orgweave.crm.seam import TOKEN
from schemas.errors import BadInput

if TYPE_CHECKING:
    from pipeline.config import RunRequest
    from pipeline.model.settings import ModelSettings
    from pipeline.plan import PlanCosting

EMBEDDED = (
    "writing with the embedded writer (no key, no network); for a model: --model NAME with"
    " OPENAI_API_KEY set or --base-url URL"
)


OF_A_NEW_ORG = {
    "--seed": "make another world of the same company (default: the profile's seed)",
    "--scale": "multiply all counts by X (default: 1)",
    "--set": "make N records of this object type; repeat the option for other types",
    "--out": "write the run there (default: outputs/<company>)",
}
OF_THE_ORG_THERE = {
    "--seed": "the seed that the org was made with; it need not be given",
    "--scale": "the scale that the org was made with; it need not be given",
    "--set": "a count that the org was made with; it need not be given",
    "--out": "the org's folder (default: outputs/<company>)",
}
"""Who makes a part of an org anew can't ask for another org."""


def add_asking(command: argparse.ArgumentParser, says: Mapping[str, str] = OF_A_NEW_ORG) -> None:
    """What to make; `says` is the help of each option."""
    command.add_argument(
        "--company",
        required=True,
        metavar="NAME",
        help="the profile: shoes, outdoor, bank, saas, utility, clinic, or a .yaml file's path",
    )
    command.add_argument(
        "--seed",
        type=int,
        metavar="N",
        help=says["--seed"],
    )
    command.add_argument(
        "--scale",
        type=float,
        default=1.0,
        metavar="X",
        help=says["--scale"],
    )
    command.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="OBJECT=N",
        help=says["--set"],
    )
    command.add_argument(
        "--out",
        type=named_path,
        metavar="FOLDER",
        help=says["--out"],
    )


def add_shards(command: argparse.ArgumentParser) -> None:
    """In which parts a large org is drawn."""
    command.add_argument(
        "--shard-size",
        type=float,
        metavar="X",
        help=(
            "draw the org in shards of this scale, each with a range, a staff and customers of its"
            " own (default: 10 for an org beyond --scale 100, smaller ones are drawn whole)"
        ),
    )


def add_writing(command: argparse.ArgumentParser) -> None:
    """Who writes, and what it may cost."""
    group = _model_group(command)
    _add_endpoint(group, "the model that writes (default: the embedded writer)")
    group.add_argument(
        "--judge-model",
        metavar="NAME",
        help="the model that checks texts against their facts, or none (default: the same)",
    )
    group.add_argument(
        "--judge-share",
        type=float,
        metavar="X",
        help="judge this share of the mini-batches that no task depends on (default: 0.05)",
    )
    group.add_argument(
        "--prompt-dir",
        type=Path,
        metavar="FOLDER",
        help="use the prompt templates in this folder: system.txt, user.txt,"
        " <ObjectType>/user.txt, judge/user.txt",
    )
    _add_limits(group)
    group.add_argument(
        "--fallback",
        metavar="WRITER",
        help="who writes a text that the model won't: 'embedded', from the lexicon (default: the"
        " run ends and names the text)",
    )
    _add_price(group)
    _add_batches(group)


def add_drafting(command: argparse.ArgumentParser) -> None:
    """Which model drafts a company, and what it may cost: nobody judges it or writes in its place.

    Each answer decides what is asked next, so a draft can't wait a day for a batch either.
    """
    group = _model_group(command)
    _add_endpoint(group, "the model that drafts; a draft needs one")
    _add_limits(group)
    _add_price(group)


def _model_group(command: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """The part of a command's help that is about its model."""
    return command.add_argument_group(
        "writing with a model",
        "Any OpenAI-compatible endpoint will do. OPENAI_API_KEY and OPENAI_BASE_URL\nare read"
        " from the environment or from a .env file.",
    )


def _add_endpoint(group: argparse._ArgumentGroup, model: str) -> None:
    """Which model is called and how it is reached; `model` says what it does here."""
    group.add_argument("--model", metavar="NAME", help=model)
    group.add_argument(
        "--base-url",
        action="append",
        metavar="URL",
        help="the endpoint (default: OPENAI_BASE_URL, else OpenAI's); repeat the option for further"
        " endpoints of the same model: all limits hold over all of them together",
    )
    group.add_argument(
        "--client",
        metavar="NAME",
        help="what speaks to the endpoint: 'aiohttp', or the slower 'openai', which knows proxies"
        " (default: aiohttp, or openai where the environment names a proxy)",
    )


def _add_limits(group: argparse._ArgumentGroup) -> None:
    """What the writing may cost, and how fast it may go."""
    group.add_argument(
        "--max-cost",
        type=float,
        metavar="DOLLARS",
        help="stop cleanly before the run in this folder has cost more than this",
    )
    group.add_argument(
        "--max-tokens",
        type=int,
        metavar="N",
        help="stop cleanly before the run in this folder has used more than N tokens",
    )
    group.add_argument(
        "--max-connections",
        type=int,
        metavar="N",
        help="at most N calls at the same time (default: 64)",
    )
    group.add_argument(
        "--rpm",
        type=int,
        metavar="N",
        help="at most N requests a minute; needed only where the endpoint does not tell its limit",
    )
    group.add_argument(
        "--tpm",
        type=int,
        metavar="N",
        help="at most N tokens a minute; needed only where the endpoint does not tell its limit",
    )
    group.add_argument(
        "--patience",
        type=float,
        metavar="SECONDS",
        help="how long an outage in the middle of a run is waited for (default: 300)",
    )


def _add_price(group: argparse._ArgumentGroup) -> None:
    """What tokens cost."""
    group.add_argument(
        "--price",
        metavar="IN,OUT",
        help="dollars for a million prompt tokens and a million answer tokens, such as 0.15,0.60"
        " (default: what genai-prices knows)",
    )


def _add_batches(group: argparse._ArgumentGroup) -> None:
    """Ways to be answered later than at once."""
    group.add_argument(
        "--batch",
        action="store_true",
        help="use the endpoint's Batch API: half the price, answers within a day",
    )
    group.add_argument(
        "--batch-dir",
        type=Path,
        metavar="FOLDER",
        help="call nothing: write request files to this folder and read answer files from it",
    )


def settings_of(arguments: argparse.Namespace, calls: bool = True) -> "ModelSettings | None":
    """The model that was chosen, checked before anything is made; None for the embedded writer."""
    from pipeline.model.settings import choose, environment_with_file

    settings = choose(vars(arguments), environment_with_file(Path()), calls)
    if settings is not None:
        from pipeline.model.writers import check_settings

        check_settings(settings)
    return settings


def tell_language(locale: str) -> None:
    """One line where the embedded writer doesn't write the language of the company's country."""
    from pipeline.plan import english_words
    from schemas.country import load_country

    told = english_words(load_country(locale))
    if told:
        print(told, file=sys.stderr)


def tell_writer(settings: "ModelSettings | None") -> None:
    """One line on who writes."""
    if settings is None:
        print(EMBEDDED, file=sys.stderr)
        return
    judge = "nobody judges"
    if settings.judged_share is not None:
        share = f"{settings.judged_share:.0%}"
        judge = f"{settings.judge_model} judges {share} and all that tasks depend on"
    place = ", ".join(settings.base_url)
    if settings.offline:
        place = f"request files in {settings.batch_dir}"
    print(f"writing with {settings.model} ({place}); {judge}", file=sys.stderr)


def costing_of(settings: "ModelSettings | None") -> "PlanCosting | None":
    """What a plan must know of the model; None for the embedded writer."""
    if settings is None:
        return None
    from pipeline.plan import PlanCosting
    from pipeline.write.prompt import load_prompts

    return PlanCosting(
        prompts=load_prompts(settings.prompt_dir),
        judge_share=settings.judged_share,
        price=settings.price_of(settings.model),
        judge_price=settings.price_of(settings.judge_model),
    )


def ask_of(arguments: argparse.Namespace) -> "RunRequest":
    """What is asked for; raises BadInput for a seed or a count that can't be."""
    from pipeline.config import RunRequest

    if arguments.seed is not None and not 0 <= arguments.seed < 2**63:
        raise BadInput(f"--seed {arguments.seed}: must be a whole number from 0 to 2^63 - 1")
    return RunRequest(
        arguments.company,
        arguments.seed,
        arguments.scale,
        dict(_counted(text) for text in arguments.set),
        shard_size=getattr(arguments, "shard_size", None),
    )


def out_of(arguments: argparse.Namespace) -> Path:
    """Where the run goes."""
    return arguments.out or Path("outputs") / Path(arguments.company).stem


def given_token() -> str:
    """The bearer token of ORGWEAVE_TOKEN, from the environment or a .env file; "" for none."""
    from pipeline.model.settings import environment_with_file

    return environment_with_file(Path()).get(TOKEN, "").strip()


def _counted(text: str) -> tuple[str, int]:
    name, _, number = text.partition("=")
    if not re.fullmatch(r"-?[0-9]{1,15}", number):
        raise BadInput(f"--set {text}: write OBJECT=NUMBER, such as Case=200")
    return name, int(number)
