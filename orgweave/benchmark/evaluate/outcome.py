"""How an agent's work on one instance ended, as it is kept in the sample's store: what it
submitted, or why it submitted nothing.
"""

from inspect_ai.solver import TaskState

SUBMITTED, ENDED, ACTIONS = "submitted", "ended", "actions"
STOPPED = "the agent was stopped before it answered (an error or a limit: see the sample)"


def submit(state: TaskState, answer: str) -> TaskState:
    """Ends the work with an answer."""
    state.store.set(SUBMITTED, answer)
    state.output.completion = answer
    state.completed = True
    return state


def give_up(state: TaskState, reason: str) -> TaskState:
    """Ends the work without an answer."""
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
