"""Puts an org's own values into the value sets of this folder, so that a deploy takes none away.

Needs Python alone. Example: `python merge_value_sets.py theirs`, where `theirs` is the folder that
the org's value sets were retrieved into.
"""

import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

NAMESPACE = "http://soap.sforce.com/2006/04/metadata"
OURS = Path(__file__).parent / "force-app" / "main" / "default" / "standardValueSets"
ENDING = ".standardValueSet-meta.xml"
VALUE, NAME, DEFAULT = (
    f"{{{NAMESPACE}}}{name}" for name in ("standardValue", "fullName", "default")
)


def merge(ours: Path, theirs: Path) -> int:
    """Adds to their values those of ours that they lack; returns how many of theirs are kept.

    A value that both have stays as it is there, and so does the default, which is one at most.
    """
    tree = ElementTree.parse(ours)
    root, kept = tree.getroot(), ElementTree.parse(theirs).getroot().findall(VALUE)
    known = {str(value.findtext(NAME)).lower() for value in kept}
    has_default = any(value.findtext(DEFAULT) == "true" for value in kept)
    for value in root.findall(VALUE):
        root.remove(value)
        if str(value.findtext(NAME)).lower() in known:
            continue
        default = value.find(DEFAULT)
        if has_default and default is not None:
            default.text = "false"
        kept.append(value)
    root.extend(kept)
    ElementTree.indent(tree, "    ")
    tree.write(ours, encoding="UTF-8", xml_declaration=True)
    return len(known)


def main(folders: list[str]) -> int:
    """Merges every value set that both sides have; the exit code is 2 where there is none."""
    if len(folders) != 1 or not Path(folders[0]).is_dir():
        print("usage: python merge_value_sets.py FOLDER-OF-THE-RETRIEVED", file=sys.stderr)
        return 2
    ElementTree.register_namespace("", NAMESPACE)
    merged = 0
    for theirs in sorted(Path(folders[0]).rglob(f"*{ENDING}")):
        ours = OURS / theirs.name
        if ours.is_file():
            kept = merge(ours, theirs)
            print(f"{theirs.name.removesuffix(ENDING)}: {kept} values of the org's own are kept")
            merged += 1
    if not merged:
        print(f"{folders[0]}: holds no value set that is here, too", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
