"""All that is wrong with a company's files, before anything is made of them.

Reads the profile, then the world, then what follows from both, and goes on as far as it can. Writes
nothing; the texts to look at are made by whoever shows them.
"""

from pathlib import Path

from pipeline.company.faults import FileFault, of_error, profile_faults, world_faults
from pipeline.company.needs import word_faults
from pipeline.config import RunRequest, load_job
from schemas.errors import OrgweaveError
from schemas.lexicon import BASE, own_folders
from schemas.profile import lexicons_folder, load_profile


def company_faults(path: Path) -> list[FileFault]:
    """The faults of a company's profile, world, schema and words, remarks last."""
    faults = profile_faults(path)
    if faults:
        return faults
    faults = world_faults(load_profile(path), path)
    if faults:
        return faults
    try:
        job = load_job(RunRequest(str(path)))
        own = own_folders(job.sources.lexicon, lexicons_folder() / BASE)
    except OrgweaveError as error:
        return [of_error(error, path)]
    return word_faults(job.setting, job.lexicon, own, path)
