"""The three agents that a model plays: act (an action a turn), react (a thought and an action), fc
(function calls). Knows no task's truth.

Each has so many actions; a turn without one gets a correcting message and counts. What a model
writes after its first action is made up, and forgotten.
"""

from collections.abc import Sequence
from typing import Literal

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    GenerateConfig,
    execute_tools,
    get_model,
)
from inspect_ai.solver import Generate, Solver, TaskState
from inspect_ai.tool import ToolDef

from orgweave.benchmark.evaluate.actions import Action, action_in
from orgweave.benchmark.evaluate.outcome import count_action, give_up, submit
from orgweave.benchmark.evaluate.prompting import Briefing, filled, system_prompt
from orgweave.benchmark.evaluate.toolkit import EXECUTE, KIT, SUBMIT, use

MOST_ACTIONS = 20
TOO_LONG = "model_length"
OUTGREW = "the conversation outgrew the model's context"
ONE_CALL = GenerateConfig(parallel_tool_calls=False)


def calling_agent(actions: int = MOST_ACTIONS, hints: bool = False) -> Solver:
    """fc: a tool call a turn; its tools know the objects, so the schema isn't shown.

    `hints` adds the task's hints to what it is told.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        _open(state, "fc", "", actions, hints)
        offered = KIT.get().offered()
        for left in range(actions, 0, -1):
            message = await _turn(state, offered)
            if message is None:
                return give_up(state, OUTGREW)
            executed = await execute_tools(state.messages, offered)
            replies = executed.messages
            if not replies:
                replies = [ChatMessageUser(content=filled("correct_fc", left=left - 1))]
            state.messages.extend(replies)
            answer = _handed_in(message, replies)
            if answer is not None:
                return submit(state, answer)
        return give_up(state, f"no answer within {actions} actions")

    return solve


def text_agent(
    agent: Literal["act", "react"],
    schema: str,
    actions: int = MOST_ACTIONS,
    hints: bool = False,
) -> Solver:
    """act or react: a query or the answer in every turn.

    `schema` is what it is told of the objects.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        _open(state, agent, schema, actions, hints)
        for left in range(actions, 0, -1):
            message = await _turn(state, ())
            if message is None:
                return give_up(state, OUTGREW)
            action = action_in(message.text)
            if action and action.kind == "respond":
                return submit(state, action.content)
            if action:
                message.content = action.said
            reply = await _reply(action, left - 1)
            state.messages.append(ChatMessageUser(content=reply))
        return give_up(state, f"no answer within {actions} actions")

    return solve


def _open(
    state: TaskState,
    agent: str,
    schema: str,
    actions: int,
    hints: bool,
) -> None:
    """The conversation's beginning: what the agent is told, and the query."""
    known = state.metadata
    told = Briefing(
        persona=known["persona"],
        required=known["required"],
        hints=known["optional"] if hints else "",
    )
    state.messages = [
        ChatMessageSystem(content=system_prompt(agent, told, schema, actions)),
        ChatMessageUser(content=state.input_text),
    ]


async def _turn(state: TaskState, tools: Sequence[ToolDef]) -> ChatMessageAssistant | None:
    """The model's next message, kept in the conversation; None where it had no room left to
    answer.
    """
    config = ONE_CALL if tools else GenerateConfig()
    state.output = await get_model().generate(
        state.messages,
        tools=list(tools),
        config=config,
    )
    count_action(state)
    if state.output.empty or state.output.stop_reason == TOO_LONG:
        return None
    state.messages.append(state.output.message)
    return state.output.message


async def _reply(action: Action | None, left: int) -> str:
    """What a text agent reads next: what its query returned, or how to write an action."""
    if action is None:
        return filled("correct_act", left=left)
    answer = await use(EXECUTE, {"query": action.content})
    result = answer.error.message if answer.error else answer.text
    return filled("observation", result=result, left=left)


def _handed_in(message: ChatMessageAssistant, done: Sequence[ChatMessage]) -> str | None:
    """What a message submitted, if its submit call was taken."""
    taken = set()
    for reply in done:
        if isinstance(reply, ChatMessageTool) and reply.error is None:
            taken.add(reply.tool_call_id)
    for call in message.tool_calls or []:
        if call.function == SUBMIT and call.id in taken:
            arguments = list(call.arguments.values())
            return str(arguments[0]) if arguments else ""
    return None
