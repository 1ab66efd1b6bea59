"""The page on commands: each command's options and examples, from its own parser."""

import argparse

from docs.make_reference.markdown import code, fenced, table
from orgweave.cli import COMMANDS, command_module, command_parser, sentence

INTRODUCTION = """# Commands and options

`orgweave COMMAND` and `python -m pipeline COMMAND` do the same. `--help` prints what stands here.
The [guide](../guide/generate.md#exit-codes) lists the exit codes.
"""


def commands_page() -> str:
    """All commands, in the order of the command line's help."""
    names = table(
        ("Command", "What it does"),
        [(f"[{name}](#{name})", sentence(COMMANDS[name])) for name in COMMANDS],
    )
    return "\n\n".join([INTRODUCTION.strip(), names, *(_command(name) for name in COMMANDS)])


def _command(name: str) -> str:
    parts = [f"## {name}", sentence(COMMANDS[name]), _options(command_parser(name))]
    examples = "\n".join(line.strip() for line in command_module(name).EXAMPLES.splitlines())
    return "\n\n".join([*parts, fenced("sh", examples)])


def _options(parser: argparse.ArgumentParser) -> str:
    """The table of a command's options; a command with parts has a table for each of them."""
    rows = []
    parts = []
    for action in parser._actions:  # argparse offers no public list of a parser's options
        if isinstance(action, argparse._SubParsersAction):
            for name, part in action.choices.items():
                parts.append(f"### {name}\n\n{_options(part)}")
        elif action.dest != "help":
            rows.append((_spelling(action), _help(parser, action)))
    if parts:
        return "\n\n".join(parts)
    return table(("Option", "Meaning"), rows)


def _spelling(action: argparse.Action) -> str:
    name = ", ".join(action.option_strings) or action.dest
    if action.nargs == 0 or not action.option_strings:
        return code(name)
    value = action.metavar or "|".join(str(choice) for choice in action.choices or ())
    if action.nargs == "?":
        return code(f"{name} [{value}]")
    return code(f"{name} {value}")


def _help(parser: argparse.ArgumentParser, action: argparse.Action) -> str:
    text = (action.help or "") % {**vars(action), "prog": parser.prog}
    if action.required and action.option_strings:
        text += " (required)"
    return text.replace("<", "&lt;")
