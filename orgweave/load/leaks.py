"""No id of our own making may leave: the marker in it says that no CRM gave it.

Every outgoing record passes here.
"""

import re
from collections.abc import Iterable

from orgweave.crm.seam import Body
from pipeline.world.ids import MARKER
from schemas.errors import UploadFailed

LOCAL_ID = re.compile(
    rf"(?<![A-Za-z0-9])[A-Za-z0-9]{{3}}{MARKER}[A-Za-z0-9]{{7}}(?:[A-Za-z0-9]{{3}})?(?![A-Za-z0-9])"
)


def check_leaks(name: str, bodies: Iterable[Body]) -> None:
    """Raises UploadFailed where a value holds an id of ours, naming object and field."""
    for body in bodies:
        for field, value in body.items():
            found = LOCAL_ID.search(str(value)) if MARKER in str(value) else None
            if found:
                raise UploadFailed(
                    f"{name}.{field}: holds {found[0]}, an id of our own that means nothing to the"
                    " CRM; nothing of this batch was sent. Give the field x-holds-ids (or a"
                    " reference) in its schema, generate again, then upload"
                )
