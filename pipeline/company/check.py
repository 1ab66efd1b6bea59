"""All that is wrong with a company's files, before anything is made of them.

Reads the profile, then the world, then what follows from both, and goes on as far as it can. Writes
nothing; the texts to look at are made by whoever shows them.
"""

from pathlib import Path

from latent.assortment import stated_categories
from pipeline.company.faults import FileFault, of_error, profile_faults, world_faults
from pipeline.company.lexicon_map import LexiconMap
from pipeline.company.needs import word_faults
from pipeline.company.sign_marks import mark_remarks
from pipeline.config import RunRequest, load_job
from schemas.errors import OrgweaveError
from schemas.lexicon import BASE, own_folders, read_lexicon
from schemas.profile import lexicons_folder, load_profile

SPECIFIC = {"category": ("model", "feature"), "issue": ("complaint",)}
"""How the names of rules begin -> how they end, for the rules that make an org sound like its trade
and not like any: what a product is called, what is good about it, what a customer complains of.
"""


def general_words(path: Path) -> list[str]:
    """The rules that a whole company would sound more like its trade by, and hasn't.

    Where it lacks `issue.leak.complaint`, a rule for any issue words its leaks.
    """
    job = load_job(RunRequest(str(path)))
    if not job.setting.schema.has("Product2"):
        return []
    world, profile = job.setting.world, job.setting.profile
    keys = {
        "category": [category.key for category in stated_categories(job.setting)],
        "issue": [issue.key for issue in profile.issues or world.issues],
    }
    lacking = []
    for head, rules in SPECIFIC.items():
        for key in keys[head]:
            for rule in rules:
                name = f"{head}.{key}.{rule}"
                if name not in job.lexicon.rules:
                    lacking.append(name)
    return lacking


def company_faults(path: Path) -> list[FileFault]:
    """The faults of a company's profile, world, schema and words, remarks last."""
    faults = profile_faults(path)
    if faults:
        return faults
    faults = world_faults(load_profile(path), path)
    if faults:
        return faults
    try:
        job = load_job(RunRequest(str(path)), words=read_lexicon)
        own = own_folders(job.sources.lexicon, lexicons_folder() / BASE)
    except OrgweaveError as error:
        return [of_error(error, path)]
    words = LexiconMap(job.lexicon, own)
    remarks = mark_remarks(words, job.setting.world.incidents)
    return word_faults(job.setting, job.lexicon, own, path) + remarks
