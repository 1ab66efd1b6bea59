"""A company of one's own: the files it begins with, and what `company check` finds in them."""

import re
import shlex
import shutil
from pathlib import Path

import pytest
import yaml

from orgweave.cli import run
from pipeline.company.check import company_faults, general_words
from pipeline.company.faults import FileFault
from pipeline.company.starter import LIKE, new_company
from pipeline.config import RunRequest, load_job
from schemas.errors import BadInput
from schemas.positions import holds, line_of
from schemas.profile import Profile, find_profile, known_companies, lexicons_folder
from schemas.world import World


def made(folder: Path, like: str = "generic") -> Path:
    """The profile of a new company in a folder."""
    return new_company("inn", like, folder)[0]


def edited(path: Path, *changes: tuple[str, str]) -> None:
    """Replaces texts of a file, each of which must stand there."""
    text = path.read_text(encoding="utf-8")
    for before, after in changes:
        assert before in text
        text = text.replace(before, after, 1)
    path.write_text(text, encoding="utf-8")


def told(faults: list[FileFault], file: str) -> list[str]:
    """What is said of a file, each with its line: `12: there is no rule …`."""
    return [f"{fault.line}: {fault.says}" for fault in faults if fault.file.name == file]


@pytest.mark.parametrize("like", LIKE)
def test_a_new_company_lacks_nothing(like: str, tmp_path: Path) -> None:
    """Whatever it begins like, its files are whole before anything is edited."""
    assert company_faults(made(tmp_path / "inn", like)) == []


@pytest.mark.parametrize("company", known_companies())
def test_companies_that_ship_lack_nothing(company: str) -> None:
    """The check finds nothing in what is known to work."""
    assert company_faults(find_profile(company)) == []


def test_a_new_company_explains_every_key(tmp_path: Path) -> None:
    """Each key of the profile and of the world is there or commented out, with its description."""
    path = made(tmp_path / "inn")
    profile, world = path.read_text(), (path.parent / "words" / "world.yaml").read_text()
    for key, field in Profile.model_fields.items():
        if key not in ("categories", "issues", "options"):
            assert re.search(rf"^(# )?{field.alias or key}: ", profile, re.MULTILINE), key
    for key in World.model_fields:
        assert re.search(rf"^(# )?{key}:", world, re.MULTILINE), key
    assert "#   short: What customers call such a product in a sentence" in world


@pytest.mark.parametrize("like", LIKE)
def test_the_trade_of_a_new_company_is_there_to_be_changed(like: str, tmp_path: Path) -> None:
    """Order types, reasons of cases, units and promotions are commented out with their figures;
    without the signs in front they are what the world says anyhow.
    """
    path = made(tmp_path / "inn", like)
    before = load_job(RunRequest(str(path))).setting.world.trade
    world = path.parent / "words" / "world.yaml"
    block = world.read_text().partition("# trade:")[2].partition("\n\n")[0]
    assert "channels" in block and "reasons" in block and "unit" in block
    edited(world, (f"# trade:{block}", f"trade:{block}".replace("\n#   ", "\n  ")))
    assert load_job(RunRequest(str(path))).setting.world.trade == before


@pytest.mark.parametrize("like", LIKE)
def test_a_new_company_says_nothing_twice(like: str, tmp_path: Path) -> None:
    """A line that counts twice in the lexicon beneath is shown once."""
    path = made(tmp_path / "inn", like)
    rules = yaml.safe_load((path.parent / "words" / "rules.yaml").read_text(encoding="utf-8"))
    for lines in rules["rules"].values():
        assert len(lines) == len(set(lines))


def test_a_new_company_is_lean(tmp_path: Path) -> None:
    """Its own words are a few rules; all the others are those of what it extends."""
    folder = made(tmp_path / "inn").parent / "words"
    rules = yaml.safe_load((folder / "rules.yaml").read_text())["rules"]
    assert 0 < len(rules) < 10
    assert yaml.safe_load((folder / "_lexicon.yaml").read_text()) == {"extends": "generic"}


def test_a_folder_in_use_is_left_alone(tmp_path: Path) -> None:
    """A new company never writes over files that are there."""
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(BadInput, match="isn't empty; name another folder with --to"):
        made(tmp_path)
    with pytest.raises(BadInput, match="the company's name"):
        new_company("../inn", "generic", tmp_path / "inn")


@pytest.mark.parametrize("name", ["é", "0", "a_"])
def test_a_name_that_no_company_can_have_is_refused_before_files(name: str, tmp_path: Path) -> None:
    """What `company new` writes, `company check` takes."""
    with pytest.raises(BadInput, match="is too short; give it two letters or more"):
        new_company(name, "generic", tmp_path / "short")
    assert not (tmp_path / "short").exists()


def test_a_name_too_long_for_a_file_is_no_company(capsys: pytest.CaptureFixture[str]) -> None:
    """The line is short all the same."""
    assert run(["company", "check", "x" * 5000]) == 2
    said = capsys.readouterr().err
    assert "no such profile" in said and len(said) < 500


def test_all_missing_rules_are_told_at_once(tmp_path: Path) -> None:
    """A new category and a new issue are told with all the rules they need, at their own lines,
    each with an example.
    """
    path = made(tmp_path / "inn", "shoes")
    world = path.parent / "words" / "world.yaml"
    edited(world, ("key: slippers,", "key: tents,"), ("key: leaking,", "key: soaked,"))
    incident = (lexicons_folder() / "shoes" / "issue_discomfort.yaml").read_text()
    # What strikes slippers strikes tents here.
    own = world.with_name("issue_discomfort.yaml")
    own.write_text(incident.replace("slippers", "tents"), encoding="utf-8")
    text = world.read_text().replace("slippers:", "tents:").replace("[slippers", "[tents")
    world.write_text(
        text.replace("category: slippers", "category: tents").replace(", slippers]", "]")
    )
    faults = company_faults(path)
    said = told(faults, "world.yaml")
    assert len(said) == len(faults) > 5
    lines = text.splitlines()
    tents = next(number for number, line in enumerate(lines, 1) if line.startswith("- {key: tents"))
    soaked = next(number for number, line in enumerate(lines, 1) if "key: soaked" in line)
    assert any(line.startswith(f"{tents}: tents: there is no rule category.tents") for line in said)
    complaint = f"{soaked}: soaked: there is no rule issue.soaked.summary (asked for by"
    assert any(line.startswith(complaint) for line in said)
    assert any("or issue.any.summary for all issues" in line for line in said)
    examples = [fault.example for fault in faults if "category.tents.model" in fault.says]
    rule = yaml.safe_load("\n".join(examples[0]))["rules"]
    assert len(rule["category.tents.model"]) == 2


def copied(folder: Path) -> Path:
    """A company whose own lexicon is a copy of a shipped one, all of its files."""
    path = made(folder / "inn", "shoes")
    words = path.parent / "words"
    shutil.rmtree(words)
    shutil.copytree(lexicons_folder() / "shoes", words)
    return path


def without_rule(file: Path, rule: str) -> None:
    """Takes a rule with all of its lines out of a file."""
    kept, taken = [], False
    for line in file.read_text(encoding="utf-8").splitlines(keepends=True):
        taken = line.startswith(f"  {rule}:") or (taken and line.startswith(("  - ", "    ")))
        kept += [] if taken else [line]
    file.write_text("".join(kept), encoding="utf-8")


def test_what_ships_is_whole_as_a_company_of_ones_own(tmp_path: Path) -> None:
    """A copy of a lexicon that ships lacks nothing: facts in the form in which people write them
    are named, and whatever its rules are called, something asks for them.
    """
    faults = [str(fault) for fault in company_faults(copied(tmp_path)) if " mark" not in fault.says]
    assert faults == []


def test_rules_that_an_incident_lacks_are_told_with_all_else(tmp_path: Path) -> None:
    """A run stops at the first of them; the check tells each where its sign is stated, with an
    example, beside the slots that nothing fills.
    """
    path = copied(tmp_path)
    words = path.parent / "words"
    sole = words / "issue_sole_separation.yaml"
    plan = yaml.safe_load(sole.read_text(encoding="utf-8"))["incidents"]["sole_separation"]
    gone = ("subject", "sign.wear.daily", f"advice.{next(iter(plan['causes']))}")
    for rule in gone:
        without_rule(sole, f"issue.sole_separation.{rule}")
    edited(words / "issue_leaking.yaml", ("{order_number}", "{order_nmber}"))
    faults = [fault for fault in company_faults(path) if not fault.remark]
    lacking = [fault for fault in faults if "asked for by incidents.sole_separation" in fault.says]
    assert {fault.says.split()[4] for fault in lacking} == {
        f"issue.sole_separation.{rule}" for rule in gone
    }
    lines = sole.read_text(encoding="utf-8").splitlines()
    for fault in lacking:
        assert fault.file == sole and fault.example[0] == "rules:"
        key = fault.says.split()[4].split(".")[-1].replace("subject", "sole_separation")
        assert f"{key}:" in lines[fault.line - 1]
    assert any("did you mean {order_number}?" in fault.says for fault in faults)


BAD_RULES = """
  category.basic.model: ["Plain [Package"]
  category.basic.feature:
  - "It {weighs} two pounds."
  - "One of {them} {prodct}."
  Product2.Description.lead: ["For everybody.", "The {product} is here."]
  policy.payment.body: ["Invoices are due in {due_days} days."]
  issue.wrong_chrge.complaint: ["It is wrong."]
"""


def test_slots_and_lines_are_told_where_they_stand(tmp_path: Path) -> None:
    """A slot that nothing fills, an open bracket, a line without a fact that it must name, and a
    rule that nothing asks for: each with its line.
    """
    path = made(tmp_path / "inn")
    rules = path.parent / "words" / "rules.yaml"
    rules.write_text("rules:" + BAD_RULES)
    assert told(company_faults(path), "rules.yaml") == [
        "2: rule category.basic.model: '[' without ']' in phrase 'Plain [Package'; close the"
        " bracket",
        *SLOTS,
        "6: rule Product2.Description.lead: this line doesn't name {Name}, which each text of"
        " Product2.Description by Product2.Description must name",
        "7: rule policy.payment.body: this line gives 34 characters at most, and"
        " Knowledge__kav.FAQ_Answer__c needs 200 of it; say more",
        "7: rule policy.payment.body: this line doesn't name {deposit_percent}, a figure of the"
        " policy",
        "8: rule issue.wrong_chrge.complaint: nothing asks for it; mend its name, or take it out",
    ]


def test_stories_may_be_left_out_but_their_slots_are_looked_at(tmp_path: Path) -> None:
    """No company needs a story; of one that is there, a slot that nothing fills is told."""
    path = made(tmp_path / "inn")
    rules = path.parent / "words" / "rules.yaml"
    rules.write_text(
        "rules:\n"
        '  issue.wrong_charge.story: ["I was charged for {thing} twice."]\n'
        '  issue.wrong_charge.story.seen_on.bill: ["The bill has {thng} on it."]\n'
        '  issue.wrong_charge.ack: ["I see that {customer} paid twice."]\n'
    )
    said = told(company_faults(path), "rules.yaml")
    rule = "3: rule issue.wrong_charge.story.seen_on.bill"
    assert said and all(fault.startswith(f"{rule}: {{thng}} is no fact of") for fault in said)


SLOTS = (
    "4: rule category.basic.feature: {weighs} is no fact of Product2 and no rule (facts:"
    " Description, Name, category, category_key, channel, does, group_key, has, is, it, made_for,"
    " noun, …)",
    "5: rule category.basic.feature: {prodct} is no fact of Product2 and no rule; did you mean"
    " {product}? (facts: Description, Name, category, category_key, channel, does, group_key, has,"
    " is, it, made_for, noun, …)",
)

ASSET = """
$schema: https://json-schema.org/draft/2020-12/schema
title: Asset
description: What a customer has.
type: object
x-key-prefix: 02i
x-count: {per: OrderItem}
x-facts: {customer: OrderItemId.OrderId.AccountId.Name}
properties:
  Id: {type: string, x-source: {id: true}}
  OrderItemId: {type: string, x-source: {reference: OrderItem, by: parent}}
  Note__c: {type: string, x-source: {written: "A note on it."}}
"""


def with_asset(folder: Path) -> Path:
    """A company whose schema has an object type more, with a written note."""
    path = made(folder / "inn")
    schema = path.parent / "crm"
    schema.mkdir()
    (schema / "_schema.yaml").write_text("extends: service_cloud\n")
    (schema / "Asset.yaml").write_text(ASSET.lstrip())
    edited(path, ("schema: service_cloud", "schema: crm"))
    return path


def test_a_line_too_short_for_its_field_is_told(tmp_path: Path) -> None:
    """A run would refuse such a text at its end; the check says how many characters are lacking."""
    path = made(tmp_path / "inn")
    words = path.parent / "words" / "short.yaml"
    body = "rules: {article.first_time.body: [Come early., 'Bring {order_noun} {company}.']}\n"
    words.write_text(body, encoding="utf-8")
    said = told(company_faults(path), "short.yaml")
    assert len(said) == 2
    assert "gives 11 characters at most, and Knowledge__kav.FAQ_Answer__c needs" in said[0]


@pytest.mark.parametrize("like", LIKE)
def test_each_rule_that_a_new_company_shows_is_asked_for(like: str, tmp_path: Path) -> None:
    """Without the signs in front, each rule of the file is used: there is not even a remark."""
    path = made(tmp_path / "inn", like)
    rules = path.parent / "words" / "rules.yaml"
    rules.write_text(re.sub(r"^  # ", "  ", rules.read_text(), flags=re.MULTILINE))
    assert company_faults(path) == []


def test_a_cause_without_a_name_is_asked_for_by_nobody(tmp_path: Path) -> None:
    """Agents explain one cause of an issue's incident, so words of just any cause are never said;
    nor are those of an offer for one option. The check remarks on both.
    """
    path = made(tmp_path / "inn")
    words = path.parent / "words" / "unsaid.yaml"
    rules = "{issue.wrong_charge.cause: [A slip.], option.refund.offer: [Have it.]}"
    words.write_text(f"rules: {rules}\n", encoding="utf-8")
    assert [
        (fault.remark, "nothing asks for it" in fault.says) for fault in company_faults(path)
    ] == [
        (True, True),
        (True, True),
    ]


WAITING = """
incidents:
  late_start:
    signs:
      waited: {hour: {marks: [an hour]}, longer: {marks: [two hours, half the day]}}
    causes: {emergency: {known_by: record, tells: waited}}
rules:
  issue.late_start.sign.waited.hour: ["[An hour|A while].", "It was an hour{more}."]
  chat.issue.late_start.sign.waited.hour: ["{waiting}"]
  issue.late_start.sign.waited.longer: ["Not an hour, two hours."]
  chat.issue.late_start.sign.waited.longer: ["half the day"]
  issue.late_start.echo.waited.hour: ["a wait of an hour"]
  issue.late_start.echo.waited.longer: ["a wait of two hours"]
  issue.late_start.ask.waited: ["How long was it?"]
  issue.late_start.cause.emergency: ["Somebody else came first."]
  issue.late_start.advice.emergency: ["Call ahead."]
  more: [", or so"]
  waiting: ["an hour"]
"""


def test_a_line_that_tells_another_value_is_remarked_on(tmp_path: Path) -> None:
    """A run takes such a line, and then a text says something else than the hidden truth: the
    check names the marks that are lacking, and those of another value. Slots it can't look into.
    """
    path = made(tmp_path / "inn")
    chat = "  chat.issue.late_start.complaint: [They made me wait.]\n"
    mine = WAITING.replace("rules:\n", f"rules:\n{chat}")
    (path.parent / "words" / "waiting.yaml").write_text(mine, encoding="utf-8")
    faults = company_faults(path)
    assert [fault.remark for fault in faults] == [True, True]
    assert "sign.waited.hour: this line has none of the marks an hour in one" in faults[0].says
    assert "sign.waited.longer: this line has a mark of hour, which it isn't" in faults[1].says
    assert [fault.line for fault in faults] == [9, 11]


def test_a_written_field_without_a_rule_is_told(tmp_path: Path) -> None:
    """The rule to write is shown with its own facts in it."""
    (fault,) = company_faults(with_asset(tmp_path))
    assert (fault.file.name, fault.line) == ("Asset.yaml", 11)
    assert fault.says.startswith(
        "Asset.Note__c is written, and no rule words it; add the rule Asset"
    )
    rules = yaml.safe_load("\n".join(fault.example))["rules"]
    assert all("{customer}" in line for line in rules["Asset.Note__c"])


def test_a_plan_tells_of_it_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`plan` doesn't say that all is well where `generate` would end; a model needs no rules."""
    words = ["plan", "--company", str(with_asset(tmp_path))]
    assert run(words) == 2
    assert "Asset.Note__c is written, and no rule words it" in capsys.readouterr().err
    assert run([*words, "--model", "gpt-4o-mini"]) == 0


def test_a_missing_fact_is_told_with_the_key_to_add(tmp_path: Path) -> None:
    """Where a shipped rule needs a fact that the object type lacks, the fact that takes the rule's
    place is to be added to x-facts; with it, nothing is missing.
    """
    path = with_asset(tmp_path)
    with (path.parent / "words" / "rules.yaml").open("a") as rules:
        rules.write('  Asset.Note__c: ["{customer} has the {product}."]\n')
    (fault,) = company_faults(path)
    assert (fault.file.name, fault.line) == ("Asset.yaml", 7)
    assert "{Name} is no fact of Asset" in fault.says
    assert "add product to x-facts with the path to its value, which then takes" in fault.says
    assert fault.example == ("x-facts: {product: …}",)
    fact = "product: OrderItemId.Product2Id.Name, customer:"
    edited(path.parent / "crm" / "Asset.yaml", ("x-facts: {customer:", f"x-facts: {{{fact}"))
    assert company_faults(path) == []


def test_a_field_named_in_a_line_is_told_as_a_fact_to_add(tmp_path: Path) -> None:
    """A line may name facts alone; of a field, the check shows how it becomes one."""
    path = with_asset(tmp_path)
    with (path.parent / "words" / "rules.yaml").open("a") as rules:
        rules.write('  Asset.Note__c: ["{customer} has {OrderItemId}."]\n')
    (fault,) = company_faults(path)
    assert "it is a field of Asset: add it to the x-facts of Asset" in fault.says
    assert fault.example == ("x-facts: {OrderItemId: OrderItemId}",)


def test_all_faults_of_a_profile_and_a_world_are_told(tmp_path: Path) -> None:
    """Not the first fault alone: each has its file and line."""
    path = made(tmp_path / "inn")
    world = path.parent / "words" / "world.yaml"
    edited(world, ("price: [60", "prise: [60"), ("kind: billing", "kind: money"))
    said = told(company_faults(path), "world.yaml")
    place = world.read_text()[: world.read_text().index("prise")].count("\n") + 1
    assert said[:2] == [
        f"{place}: categories.1.price: is missing; add it, or mend the spelling of the unknown key"
        " 'prise'",
        f"{place}: categories.1.prise: unknown key; remove it or mend its spelling",
    ]
    assert "issues.0.kind: Input should be" in said[2]
    edited(path, ("name: Inn", "nam: Inn"), ("Account: 60", "Account: many"))
    said = told(company_faults(path), "inn.yaml")
    assert [line.split(":")[1].strip() for line in said] == ["name", "counts.Account", "nam"]


@pytest.mark.parametrize(
    ("before", "after", "entry"),
    [
        ("options: [correction, credit]", "options: [corection]", "key: wrong_charge"),
        ("also: {plus: 2}", "also: {plush: 2}", "key: basic"),
    ],
)
def test_an_entry_that_names_what_is_not_there_is_told_with_its_line(
    before: str,
    after: str,
    entry: str,
    tmp_path: Path,
) -> None:
    """An unknown option or category is told where the issue or category stands that names it."""
    path = made(tmp_path / "inn")
    world = path.parent / "words" / "world.yaml"
    edited(world, (before, after))
    (fault,) = company_faults(path)
    text = world.read_text()
    assert (fault.file, fault.line) == (world, text[: text.index(entry)].count("\n") + 1)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("2021-01-01", "2021-02-30", "broken YAML: line"),
        ("lexicon: words", "lexicon: wrds", "lexicon: there is no such lexicon 'wrds'"),
        ("schema: service_cloud", "schema: srv", "schema: there is no such schema folder 'srv'"),
        ("User: 20", "Usr: 20", "has no object type Usr"),
        ("User: 20", "ProductCategory: 20", "only 4 categories are stated"),
    ],
)
def test_what_stops_the_check_is_told_too(
    before: str,
    after: str,
    said: str,
    tmp_path: Path,
) -> None:
    """A file that can't be read, or counts that can't be met, are one fault."""
    path = made(tmp_path / "inn")
    edited(path, (before, after))
    (fault,) = company_faults(path)
    assert said in fault.says


def test_a_missing_folder_is_told_with_the_line_that_names_it(tmp_path: Path) -> None:
    """Who misspells a lexicon is sent to the profile's line, where the mend is made."""
    path = made(tmp_path / "inn")
    edited(path, ("lexicon: words", "lexicon: wrds"))
    (fault,) = company_faults(path)
    place = path.read_text().splitlines().index("lexicon: wrds") + 1
    assert (fault.file, fault.line) == (path, place)


def test_general_words_are_told_of_the_companys_own_categories(tmp_path: Path) -> None:
    """A profile that states categories itself is told which rules would name those."""
    path = made(tmp_path / "inn")
    edited(path, ("counts:", "categories: [Suites, Sea View]\ncounts:"))
    named = [name for name in general_words(path) if name.startswith("category.")]
    assert named == [
        "category.suites.model",
        "category.suites.feature",
        "category.sea_view.model",
        "category.sea_view.feature",
    ]


def test_the_command_shows_texts_or_faults(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`company check` prints ten texts of a whole company, and ends with 5 for one that isn't."""
    folder = tmp_path / "inn"
    assert run(["company", "new", "inn", "--to", str(folder)]) == 0
    assert f"company check {folder / 'inn.yaml'}" in capsys.readouterr().out
    assert run(["company", "check", str(folder / "inn.yaml")]) == 0
    shown = capsys.readouterr().out
    assert len(re.findall(r"^\w+\.\w+$", shown, re.MULTILINE)) == 10
    assert "nothing is missing. Next: orgweave generate --company" in shown
    assert "General words stand for category.basic.model, category.basic.feature" in shown
    edited(folder / "words" / "world.yaml", ("options: [correction", "options: [corection"))
    assert run(["company", "check", str(folder / "inn.yaml")]) == 5
    assert "world.yaml:" in capsys.readouterr().out


def test_a_name_with_a_space_can_be_copied_from_what_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The next command stands in quotes where a shell would take its path for two words."""
    folder = tmp_path / "old inn"
    assert run(["company", "new", "old inn", "--to", str(folder)]) == 0
    *_, last = capsys.readouterr().out.splitlines()
    words = shlex.split(last.partition("then orgweave ")[2])
    assert words == ["company", "check", str(folder / "old inn.yaml")]
    assert run(words) == 0
    *_, last = [line for line in capsys.readouterr().out.splitlines() if "Next:" in line]
    assert shlex.split(last)[-2:] == ["--company", str(folder / "old inn.yaml")]


def test_the_rules_that_make_a_company_specific_are_told(tmp_path: Path) -> None:
    """A category with a name of its own for its products is none that general words stand for."""
    path = made(tmp_path / "inn")
    assert "category.basic.model" in general_words(path)
    with (path.parent / "words" / "rules.yaml").open("a") as rules:
        rules.write('  category.basic.model: ["Garden Room"]\n')
    assert "category.basic.model" not in general_words(path)
    assert general_words(find_profile("shoes")) == []


def test_a_place_in_a_file_has_a_line(tmp_path: Path) -> None:
    """Keys, entries of lists and the longest known part of a place are found."""
    path = tmp_path / "a.yaml"
    path.write_text("a:\n- b: 1\n  c: [1,\n    2]\n- {b: 2}\n")
    assert [line_of(path, place) for place in (["a"], ["a", "0", "c", "1"], ["a", "1", "x"])] == [
        1,
        4,
        5,
    ]
    assert holds(path, ["a", "1", "b"]) and not holds(path, ["a", "2"])
    assert line_of(tmp_path / "none.yaml", ["a"]) == 1


def test_the_examples_of_a_policys_rules_are_right_as_they_stand(tmp_path: Path) -> None:
    """Who copies them lacks nothing: they name the policy's own figures, and no others."""
    path = made(tmp_path / "inn")
    words = path.parent / "words"
    policies = ("returns: {return_window: [30, 45]}", "towels: {towel_days: [2, 3]}")
    stated = [
        f"- {{key: {key}, title: Some Title, figures: {figures}}}\n"
        for key, figures in (text.split(": ", 1) for text in policies)
    ]
    with (words / "world.yaml").open("a", encoding="utf-8") as world:
        world.write(f"policies:\n{''.join(stated)}")
    faults = [fault for fault in company_faults(path) if not fault.remark]
    assert {fault.says.partition(":")[0] for fault in faults} == {"returns", "towels"}
    with (words / "copied.yaml").open("w", encoding="utf-8") as rules:
        rules.write("rules:\n")
        for fault in faults:
            rules.writelines(f"{line}\n" for line in fault.example[1:])
    assert [fault for fault in company_faults(path) if not fault.remark] == []


def test_a_range_of_prices_that_falls_is_told(tmp_path: Path) -> None:
    """The lowest price stands first."""
    path = made(tmp_path / "inn")
    edited(path.parent / "words" / "world.yaml", ("price: [30, 120]", "price: [120, 30]"))
    (fault,) = company_faults(path)
    assert fault.says == "categories.0.price: falls from 120 to 30; swap the two"
