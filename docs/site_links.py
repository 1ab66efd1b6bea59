"""A hook of MkDocs: what a page links outside of `docs` leads to the repository.

On the disk such a link works as it stands; the site holds the pages of `docs` alone.
"""

import posixpath
import re
from typing import Any

LINK = re.compile(r"\]\((?P<target>\.\./[^)#\s]+)(?P<anchor>#[^)\s]*)?\)")
BRANCH = "blob/main/"


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:  # noqa: ANN401
    """The page's text with those links made whole."""
    folder = posixpath.dirname(page.file.src_uri)

    def whole(found: re.Match[str]) -> str:
        place = posixpath.normpath(posixpath.join("docs", folder, found["target"]))
        if place.startswith("docs/"):
            return found[0]
        address = f"{config['repo_url'].rstrip('/')}/{BRANCH}{place}{found['anchor'] or ''}"
        return f"]({address})"

    return LINK.sub(whole, markdown)
