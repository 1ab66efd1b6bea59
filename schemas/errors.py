"""The one tree of errors. Every message says what went wrong, where, and what to do.

It lies in the bottom layer, so that every other file can raise from it. The command line alone
turns an error into an exit code.
"""


class OrgweaveError(Exception):
    """Base of every error that is raised on purpose; the command line returns its `exit_code`."""

    exit_code = 1


class BadInput(OrgweaveError):
    """Something that a person gave can't be used: a profile, a schema, an option, a folder."""

    exit_code = 2


class SchemaError(BadInput):
    """A schema, profile or lexicon file is wrong; the message names file, place and mend.

    It is one line of printable signs, whatever the names and values in the file are.
    """

    def __str__(self) -> str:
        signs = []
        for sign in super().__str__():
            signs.append(sign if sign.isprintable() else repr(sign)[1:-1])
        return "".join(signs)


class Refused(BadInput):
    """What the CRM's API would refuse: `code` is its errorCode, `fields` names those at fault."""

    def __init__(self, code: str, message: str, fields: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.code = code
        self.fields = fields


class QueryRefused(Refused):
    """A SOQL or SOSL text that can't be answered.

    The message ends with the reason. Where the reason has a place in the text, the message begins
    with it: the line, a caret below it, row and column.
    """


class ToolRefused(BadInput, ValueError):
    """A tool's argument that can't be used; the message tells the agent what to send instead.

    It is a ValueError too, so that pydantic, which validates the arguments, says which one it is.
    """


class RunFailed(OrgweaveError):
    """The run stopped; the ledger keeps what was finished, and the same command goes on."""


class WritingFailed(RunFailed):
    """A unit was refused by the verifiers on every try."""


class CallFailed(RunFailed):
    """A model's endpoint can't be used.

    Its key is wrong, the model unknown, the quota used up, the prompt too long, or nothing gets
    through.
    """


class PromptRefused(CallFailed):
    """An endpoint answers others, but never this prompt: a filter, a limit, or a fault of its own.

    The call failed, the run need not: a smaller or another prompt may get through.
    """


class Unreachable(CallFailed):
    """Nothing gets through to an endpoint; it may be back later."""


class AnswersAwaited(OrgweaveError):
    """Requests wait for their answers, in files or at the endpoint; the same command goes on."""

    exit_code = 3


class TasksMissing(OrgweaveError):
    """An org yields fewer query instances than were asked for; those that it yields are written."""

    exit_code = 3


class TasksTooEasy(OrgweaveError):
    """A solver that skips a part of a task passes half of its instances; they are written."""

    exit_code = 3


class StorageFailed(RunFailed):
    """A file of the run can't be read or written: the disk is full, or the file is damaged."""


class UploadFailed(RunFailed):
    """An upload stopped; the id map holds what the CRM took, and the same command goes on."""


class CrmUnreachable(Unreachable):
    """A CRM can't be reached or can't answer now.

    Nobody knows whether it took the last request.
    """


class BudgetReached(OrgweaveError):
    """The cost or token budget is used up."""

    exit_code = 4
