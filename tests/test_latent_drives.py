"""What the variables say of themselves: what they drive is in the schema and follows from them."""

import pytest

from latent.registry import LATENT
from pipeline.graph import build_graph, needed_for
from schemas.loader import load_schema
from schemas.model import Schema
from schemas.profile import companies_folder, load_profile, schema_folder

MADE_FOR = {"Holding": "bank", "Subscription": "saas"}
"""The companies whose schemas show a variable, where it isn't the shoe company's."""

SCHEMAS: dict[str, Schema] = {}


@pytest.fixture
def schema(name: str) -> Schema:
    """The schema that a variable is made for; each is read once."""
    company = MADE_FOR.get(name, "shoes")
    if company not in SCHEMAS:
        profile = companies_folder() / f"{company}.yaml"
        SCHEMAS[company] = load_schema(schema_folder(load_profile(profile), profile))
    return SCHEMAS[company]


@pytest.mark.parametrize("name", LATENT)
def test_what_a_variable_drives_exists(name: str, schema: Schema) -> None:
    """Every path that a variable names is an object type or a field of the schema."""
    for path in LATENT[name].drives:
        item, _, field = path.partition(".")
        assert schema.has(item), path
        known = {known.name for known in schema.object(item).fields}
        assert not field or field in known, path


@pytest.mark.parametrize("name", LATENT)
def test_what_a_variable_drives_is_made_after_it(name: str, schema: Schema) -> None:
    """Every object type that a variable names reads it, directly or through what it reads."""
    graph = build_graph(schema)
    for path in LATENT[name].drives:
        assert name in needed_for(graph, path.partition(".")[0]), path


@pytest.mark.parametrize("name", LATENT)
def test_a_variable_names_every_object_type_that_reads_it(name: str, schema: Schema) -> None:
    """An object type with a field, a fact or a count from a variable is named by it."""
    readers = set()
    for item in schema.objects:
        if any(path.variable == name for path in item.latents):
            readers.add(item.name)
    named = {path.partition(".")[0] for path in LATENT[name].drives}
    assert readers <= named


@pytest.mark.parametrize("name", LATENT)
def test_a_variable_reads_what_it_says_it_reads(name: str, schema: Schema) -> None:
    """What a variable reads is a variable or an object type of the schema."""
    for read in LATENT[name].reads:
        assert read in LATENT or schema.has(read), read
