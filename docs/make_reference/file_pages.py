"""The page on the files of a run: what each key of each file means.

The meanings stand here as literal dicts. `tests/test_docs.py` holds them against the files of a
real run, so that no key goes without one.
"""

from docs.make_reference.markdown import code, fenced, table
from pipeline.ledger_rows import DIGEST, TABLES

Meanings = dict[str, str]

MANIFEST: Meanings = {
    "format": "The version of the manifest's form, a whole number.",
    "company": "The company's name.",
    "asked": "The request: company, seed, scale, counts (`sets`) and regenerated types (`salts`).",
    "seed": "The seed that was used.",
    "profile_sha256": "SHA-256 of the profile's file.",
    "schema": "The name of the schema.",
    "writer": "Who wrote: `embedded` and the version of the lexicon, or a model's name.",
    "locale": "The company's locale: `de_DE`.",
    "language": "The language of its words: `de`, or `en_US` where the embedded writer wrote them.",
    "versions": "The version of orgweave.",
    "counts": "Object type -> number of records.",
    "written": "Object type -> what its words took, see below.",
    "files": "File -> its SHA-256. Paths are relative to the folder.",
    "parts": "Where the org lies in Parquet files: see `tables/`.",
    "shards": "Where it was made in shards: their `format`, `number` and scale (`size`).",
    "sha256": "SHA-256 of all other keys, as JSON with sorted keys.",
}
WRITTEN: Meanings = {
    "requests": "Mini-batches that were asked for.",
    "accepted": "Entries that the verifiers accepted.",
    "refused": "Entries that they refused.",
    "tokens_in": "Prompt tokens.",
    "tokens_out": "Answer tokens.",
    "cost": "Dollars for all calls of the writer.",
    "cost_of_refused": "Dollars for the entries that were refused.",
    "judged": "Texts that the judge has read.",
    "judged_wrong": "Texts that it found wrong.",
    "unjudged": "Texts that nobody could be asked about.",
    "judge_tokens": "Tokens of the judge.",
    "judge_cost": "Dollars for the judge.",
}
CHECK: Meanings = {
    "changed_files": "files that are others than the manifest tells of",
    "right": "Whether every invariant holds.",
    "invariants": "A list: `name`, `says`, `tried`, `broken` and `examples` of each invariant.",
    "cells_filled": "The mean share of filled fields, from 0 to 1.",
    "filled": "Object type -> field -> share of records in which it is filled.",
    "effects": (
        "A list: for each causal effect its `variable`, what it `says`, the `measure`, `size`, `p`,"
        " the number of `records`, the `expected_sign`, whether it is `present`, and what is `seen`"
        " from the least to the most of the cause."
    ),
    "realism": (
        "A list: each statistic's `name`, `topic`, what it `says`, its `value`, the `band` that"
        " real orgs show with its `source`, whether it is `inside`, and the `fault` if it can't be"
        " measured."
    ),
    "conversations": (
        "Each figure of `_conversations.yaml` that the org has, with the same keys; its `topic` is"
        " `Conversations`."
    ),
    "diversity": (
        "Written field -> `texts`, `words`, `distinct_1`, `distinct_2`, `gzip_ratio`,"
        " `exact_duplicates` and `near_duplicate_share`."
    ),
}
TASKS: Meanings = {
    "id": "The task's name and a number.",
    "task": "The task's name.",
    "persona": "Who asks: service manager, service agent or service analyst.",
    "query": "The question, as an agent gets it.",
    "seed_query": "The question before it was paraphrased.",
    "answer": "The list of right answers: ids, names or a text; `[null]` where there is none.",
    "parameters": "What the question asks about: window, ids, numbers.",
    "metadata": (
        "`required`: definitions that every agent is told. `optional`: hints that `--hints` adds."
    ),
    "reward_metric": "How an answer scores: `exact_match` or `token_f1`.",
    "difficulty": "How many records an answer takes, and how many queries.",
    "answerable": "Whether the question has an answer.",
    "evidence": "The sentences that prove the answer, where a text holds it.",
    "format": "The version of the line's form.",
}
REPORT: Meanings = {
    "format": "The version of the report's form.",
    "company": "The company's name.",
    "industry": "Its industry.",
    "seed": "The seed of the org.",
    "writer": "Who worded the questions.",
    "tasks": "Task -> its numbers, see below.",
}
REPORT_TASK: Meanings = {
    "wanted": "How many instances were asked for.",
    "instances": "How many there are.",
    "unanswerable": "How many of them have no answer.",
    "distinct_answers": "How many different answers there are.",
    "largest_share": "The share of the most frequent answer.",
    "dropped": "Reason -> number of candidates that were dropped for it.",
}
IDMAP = (
    '{"instance_url": "https://…", "org_id": "00D…", "upload": "3f2a…", "format": 2, …}',
    '{"type": "Account", "before": 12, …}',
    '{"sending": 4, "type": "Account", "step": "insert", "keys": ["001zz…"], …}',
    '{"type": "Account", "id": "001zz…", "org_id": "0015e…", …}',
    '{"sent": 4, "done": [], "write": [9, 0], "sum": "9f3c2b1a"}',
)
LEDGER = {
    "answers": "The writer's mini-batches.",
    "rulings": "What a judge was asked and chose.",
    "meta": "Notes of the run, by name: the request under way, the request that was finished.",
}


def files_page() -> str:
    """The whole page."""
    return "\n\n".join([*_made(), *_asked(), *_remembered()])


def _made() -> list[str]:
    """What `generate` leaves behind."""
    return [
        """# Files of a run

A run's folder, such as `outputs/shoes`, is complete in itself. The
[guide](../guide/generate.md#what-comes-out) lists its files. Each file that a later version may
have to read carries the version of its form: a key `format` in JSON, `PRAGMA user_version` in
SQLite.""",
        "## manifest.json",
        "The manifest is written last. If it exists, the org is complete.",
        _keys(MANIFEST),
        "### Keys of `written`",
        _keys(WRITTEN),
        """## made_from/

Copies of what the org was made from: `profile.yaml`, and in `schema/<name>/` the files of the
schema. Every command that reads the org reads it through these copies. `lexicon.json` has the
`name` of the lexicon and the SHA-256 of its `rules` and of its `world`. `trade.json` holds the
figures of the [trade](world.md) as they were. A lexicon that does not ship with orgweave is copied
to `lexicon/<name>/`.

`regenerate` refuses a lexicon with another digest. `tasks` refuses another `world`, and reports
other `rules` in one line.""",
        """## org.sqlite and latent.sqlite

`org.sqlite` has one table per object type, named as in the API, with one column per field. Ids have
18 characters. Dates are ISO texts, true is 1, lists are JSON. Ids and references have indexes.

`latent.sqlite` has one table per latent table, named `<Variable>.<table>`. Its columns that refer
to records hold the same ids as `org.sqlite`.""",
        """## tables/

There after `generate --store parquet`: `tables/<Object>/part-00000.parquet` and so on, the records
of `org.sqlite` in their order, and numbers, truths and texts as there. `parts` in the manifest has
the `format` of the parts, how many records (`rows`) each but the last holds, and the version of
SQLite that wrote the file whose digest the manifest tells.""",
        """## upload/

One JSON file per object type, in the form that the CRM's tree API takes: each record has a
`referenceId`, and a reference to it is `@` and that text. `plan.json` lists the files in load
order. Fields that cannot be set on creation are left out.""",
        "## check.json",
        _keys(CHECK),
    ]


def _asked() -> list[str]:
    """What `tasks` leaves behind."""
    return [
        "## tasks/tasks.jsonl",
        "One JSON object per line, one line per question.",
        _keys(TASKS),
        "## tasks/report.json",
        _keys(REPORT),
        "### Keys of a task in `tasks`",
        _keys(REPORT_TASK),
    ]


def _remembered() -> list[str]:
    """What an upload and a run keep, to go on where they stopped."""
    return [
        """## idmap.jsonl

The memory of an upload. Lines are only appended, and they are on the disk before the next batch is
sent. There are five kinds: the CRM and the org, what the CRM had before the upload, a batch that is
about to go out, a record that the CRM has, and a batch whose fate is known. Each line ends with the
number of its write, how many lines of that write follow, and a checksum (CRC-32 of all before it).
A last write that is torn is cut off when the file is opened.""",
        fenced("json", "\n".join(IDMAP)),
        """## ledger.sqlite

The finished work: cache, checkpoint and account in one. A key is the SHA-256 of a canonical
request. `digest` is the SHA-256 of the row's other values, as a JSON array in UTF-8.""",
        *_ledger(),
    ]


def _keys(meanings: Meanings) -> str:
    return table(("Key", "Meaning"), [(code(key), says) for key, says in meanings.items()])


def _ledger() -> list[str]:
    rows = []
    for name, says in LEDGER.items():
        columns = [*TABLES[name], DIGEST]
        rows.append((code(name), says, ", ".join(map(code, columns))))
    return [table(("Table", "What it holds", "Columns"), rows)]
