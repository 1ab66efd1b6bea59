"""The one error tree. Every message says what went wrong, where, and what to do.

Lives in the bottom layer so that every stage can raise from it; the command line alone turns an
error into an exit code.
"""


class OrgweaveError(Exception):
    """Base of every error the project raises on purpose; `exit_code` is what the command line
    returns.
    """

    exit_code = 1


class BadInput(OrgweaveError):
    """Something the person gave (profile, schema, option, folder) can't be used."""

    exit_code = 2


class SchemaError(BadInput):
    """A schema, profile or lexicon file is wrong; the message names file, path and mend."""


class Refused(BadInput):
    """What the CRM's API would refuse. `code` is its errorCode, `fields` the API names at fault."""

    def __init__(self, code: str, message: str, fields: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.code = code
        self.fields = fields


class QueryRefused(Refused):
    """A SOQL or SOSL text that can't be answered.

    The message ends with the reason and begins, where there is one, with the place: the line, a
    caret, row and column.
    """


class ToolRefused(BadInput, ValueError):
    """A tool's argument that can't be used; the message tells the agent what to send instead.

    A ValueError too, so that pydantic, which validates arguments, says which of them it is.
    """


class RunFailed(OrgweaveError):
    """The run stopped; what was finished is kept in the ledger and the same command goes on."""


class WritingFailed(RunFailed):
    """A unit was refused by the verifiers on every try."""


class CallFailed(RunFailed):
    """A model's endpoint can't be used: wrong key, unknown model, used-up quota, too long a prompt,
    or nothing gets through.
    """


class Unreachable(CallFailed):
    """Nothing gets through to an endpoint; it may be back later."""


class AnswersAwaited(OrgweaveError):
    """The requests lie in files (or with the endpoint) and their answers aren't there yet; the same
    command goes on.
    """

    exit_code = 3


class TasksMissing(OrgweaveError):
    """An org yields fewer query instances than asked for; what it yields is written."""

    exit_code = 3


class StorageFailed(RunFailed):
    """A file of the run could not be read or written (disk full, read-only, damaged)."""


class UploadFailed(RunFailed):
    """An upload stopped; what the CRM took stands in the id map and the same command goes on."""


class CrmUnreachable(UploadFailed):
    """Nothing gets through to the CRM, or it can't answer now; whether it took the last request
    isn't known.
    """


class BudgetReached(OrgweaveError):
    """The cost or token budget is used up."""

    exit_code = 4
