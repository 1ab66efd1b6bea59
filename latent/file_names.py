"""What phones and computers call the files that people attach: photos, screenshots and documents.

    IMG_4821.jpg, 20220304_182210.jpg, Screenshot 2022-03-04 at 6.22.10 PM.png, Scan0007.pdf

Knows no org and draws nothing: a habit and a number of each owner come from outside.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

PHOTO = "photo"
SCREENSHOT = "screenshot"
DOCUMENT = "document"
EXTENSIONS = {PHOTO: "jpg", SCREENSHOT: "png", DOCUMENT: "pdf"}

# Habits are points from 0 to 1 that stay with an owner. Most Android phones name photos by the time
# alone; one Mac in five shows 24 hours in the United States; half of the people with Windows press
# a key that numbers the screenshots. Chosen by eye. Names that write day and time as one run of
# digits, blanks and hyphens are left out: they may be taken for the numbers of bank cards.
TIME_ALONE = 0.65
TWENTY_FOUR_HOURS = 0.2
NUMBERED = 0.5

LARGEST_SCAN = 60  # a scanner's counter begins anew in each folder


@dataclass(frozen=True, slots=True)
class Shot:
    """One file before it has a name.

    `platform` is what made it (`iOS`, `Windows`, or empty for a camera), `taken` its owner's wall
    clock, `number` the counter of the owner's device, and `is_bill` whether it proves a payment.
    """

    form: str
    platform: str
    taken: datetime
    number: int
    habit: float
    is_bill: bool


def title_of(shot: Shot) -> str:
    """The file's name without its extension.

    >>> title_of(Shot(PHOTO, "iOS", datetime(2022, 3, 4, 18, 22, 10), 4821, 0.5, False))
    'IMG_4821'
    """
    if shot.form == PHOTO:
        return _photo(shot)
    return _screenshot(shot) if shot.form == SCREENSHOT else _document(shot)


def _photo(shot: Shot) -> str:
    if shot.platform == "iOS":
        return f"IMG_{shot.number:04d}"
    if shot.platform == "Android":
        stamp = f"{shot.taken:%Y%m%d_%H%M%S}"
        return stamp if shot.habit < TIME_ALONE else f"IMG_{stamp}"
    return f"DSC{shot.number:05d}"


def _screenshot(shot: Shot) -> str:
    taken = shot.taken
    match shot.platform:
        case "iOS":
            return f"IMG_{shot.number:04d}"
        case "Android":
            return f"Screenshot_{taken:%Y%m%d-%H%M%S}"
        case "Windows":
            number = 1 + shot.number % LARGEST_SCAN
            return f"Screenshot ({number})" if shot.habit < NUMBERED else "Capture"
        case "Linux":
            return f"Screenshot_{taken:%Y%m%d_%H%M%S}"
        case _:
            return f"Screenshot {taken:%Y-%m-%d} at {_hour_of(shot)}"


def _hour_of(shot: Shot) -> str:
    if shot.habit < TWENTY_FOUR_HOURS:
        return f"{shot.taken:%H.%M.%S}"
    return f"{int(f'{shot.taken:%I}')}.{shot.taken:%M.%S %p}"


def _document(shot: Shot) -> str:
    if shot.is_bill:
        last_month = shot.taken.replace(day=1) - timedelta(days=1)
        return f"Statement_{last_month:%Y-%m}"
    if shot.platform in ("iOS", "Android"):
        return f"Scan {shot.taken:%Y-%m-%d}"
    return f"Scan{1 + shot.number % LARGEST_SCAN:04d}"
