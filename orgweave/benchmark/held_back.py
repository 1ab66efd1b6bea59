"""Which wordings of questions may be seen before an evaluation, and which are held back for it.

Every third line of a rule that words a seed query is held back: it occurs in no example that
ships and in no development set, so nobody fits a prompt, or a model, to it. Knows no task.

Example: `worded(rules, "public")["task.case_routing.new_case"]` has six of eight lines.
"""

from collections.abc import Mapping
from typing import Literal, get_args

Wordings = Literal["all", "public", "held-back"]
"""All wordings, those that anybody may see, or those that are held back."""
CHOICES: tuple[Wordings, ...] = get_args(Wordings)
OF_TASKS = "task."
"""How the rules begin that word seed queries."""
EVERY = 3

RuleLines = Mapping[str, tuple[str, ...]]


def worded(rules: RuleLines, wordings: Wordings) -> dict[str, tuple[str, ...]]:
    """The rules, with some of the lines that word seed queries; rules with fewer than three lines
    are left whole.
    """
    chosen = dict(rules)
    if wordings == "all":
        return chosen
    held = wordings == "held-back"
    for name, lines in rules.items():
        if name.startswith(OF_TASKS) and len(lines) >= EVERY:
            chosen[name] = _part(lines, held)
    return chosen


def _part(lines: tuple[str, ...], held: bool) -> tuple[str, ...]:
    """The held-back lines, or the others."""
    part = []
    for number, line in enumerate(lines, 1):
        is_held = number % EVERY == 0
        if is_held == held:
            part.append(line)
    return tuple(part)
