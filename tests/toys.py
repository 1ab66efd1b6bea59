"""Toy object types and companies, written as YAML into a test's own folder."""

import zlib
from pathlib import Path

import numpy as np

from latent.registry import LATENT
from pipeline.config import PreparedRun, RunRequest, load_job
from pipeline.graph import in_order
from pipeline.sample.objects import draw_facts, finish
from pipeline.world.org import Org


def write_object(
    folder: Path,
    name: str,
    fields: str = "",
    count: str = "{number: 3}",
    more: str = "",
    prefix: str = "",
) -> Path:
    """`<folder>/<name>.yaml`: an object type with an Id and the given fields, one a line."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [
        "$schema: https://json-schema.org/draft/2020-12/schema",
        f"title: {name}",
        f"description: A toy {name}.",
        "type: object",
        f'x-key-prefix: "{prefix or key_prefix(name)}"',
        f"x-count: {count}",
        *more.strip().splitlines(),
        "properties:",
        "  Id: {type: string, x-source: {id: true}}",
        *(f"  {line.strip()}" for line in fields.strip().splitlines()),
    ]
    path = folder / f"{name}.yaml"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def key_prefix(name: str) -> str:
    """What the ids of a toy object type begin with: `0to` for Toy, another for every name."""
    if name == "Toy":
        return "0to"
    digits = np.base_repr(zlib.crc32(name.encode()) % 36**3, 36)
    return digits.lower().zfill(3)


def write_company(folder: Path, more: str = "", schema: str = "toy") -> Path:
    """`<folder>/toys.yaml`: a profile whose schema lies in the folder `toy` beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [
        "name: Bramble Toys",
        "industry: toys",
        "description: Sells wooden toys by mail.",
        f"schema: {schema}",
        "period: {start: 2021-01-01, end: 2021-12-31}",
        *more.strip().splitlines(),
    ]
    path = folder / "toys.yaml"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def toy_job(folder: Path, seed: int = 1, **sets: int) -> PreparedRun:
    """The checked job of a toy company, whose schema `toy` is already in the folder."""
    return load_job(RunRequest(str(write_company(folder)), seed=seed, sets=sets))


def drawn(folder: Path, seed: int = 1, **sets: int) -> Org:
    """The toy company's org, every node drawn in its order; for schemas without written fields."""
    job = toy_job(folder, seed, **sets)
    org = Org(job.setting)
    for name in in_order(job.setting.schema):
        if name in LATENT:
            org.add(*LATENT[name].draw(org))
        else:
            item = job.setting.schema.object(name)
            org.add(finish(org, item, draw_facts(org, item), {}))
    return org
