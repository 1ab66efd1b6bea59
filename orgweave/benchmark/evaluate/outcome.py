"""How an agent's work on one instance ended, as it is kept in the sample's store: what it
submitted, or why it submitted nothing.
"""

from dataclasses import asdict

from inspect_ai.solver import TaskState

from orgweave.benchmark.evaluate.toolkit import KIT
from orgweave.benchmark.state import RowChange

SUBMITTED = "submitted"
ENDED = "ended"
ACTIONS = "actions"
CHANGES = "changes"
"""How the agent's copy of the org differs from the org, where its task is done by writing."""
STOPPED = "the agent was stopped before it answered (an error or a limit: see the sample)"


def submit(state: TaskState, answer: str) -> TaskState:
    """Ends the work with an answer."""
    _keep_changes(state)
    state.store.set(SUBMITTED, answer)
    state.output.completion = answer
    state.completed = True
    return state


def give_up(state: TaskState, reason: str) -> TaskState:
    """Ends the work without an answer."""
    _keep_changes(state)
    state.store.set(ENDED, reason)
    state.completed = True
    return state


def count_action(state: TaskState) -> None:
    """Counts one more turn of the agent."""
    state.store.set(ACTIONS, actions_of(state) + 1)


def actions_of(state: TaskState) -> int:
    """The turns that the agent took."""
    return int(state.store.get(ACTIONS, 0))


def submitted_in(state: TaskState) -> str | None:
    """What the agent submitted, or None."""
    answer = state.store.get(SUBMITTED)
    return None if answer is None else str(answer)


def reason_in(state: TaskState) -> str:
    """Why nothing was submitted."""
    return str(state.store.get(ENDED, STOPPED))


def changes_in(state: TaskState) -> list[RowChange] | None:
    """How the agent changed its copy of the org; None where it had none, or failed."""
    kept = state.store.get(CHANGES)
    return None if kept is None else [RowChange(**change) for change in kept]


def _keep_changes(state: TaskState) -> None:
    """Compares the agent's copy of the org with the org, and lets it go."""
    kit = KIT.get(None)
    if kit is not None and kit.copy is not None:
        state.store.set(CHANGES, [asdict(change) for change in kit.copy.changes()])
        kit.close()
