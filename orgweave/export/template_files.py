"""The long texts of exports, such as READMEs and scripts: templates in the folder `texts`."""

from importlib.resources import files


def template(name: str) -> str:
    """A template's text, such as that of `tree.txt`; its places to fill in are `{name}`s."""
    return files("orgweave.export").joinpath("texts", name).read_text(encoding="utf-8")
