"""Spans of time as people say them: `two days`, `a few weeks ago`, `in early May`.

Knows days and no cases.
"""

from datetime import date, timedelta

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
HOUR = timedelta(hours=1)

# Until so many days people count days, then weeks, then months.
MOST_DAYS = 10
MOST_WEEKS = 9
MOST_MONTHS = 10
DAYS_A_WEEK = 7
DAYS_A_MONTH = 30.4
DAYS_A_YEAR = 365.25
"""The mean, leap years counted in."""
EARLY = 11
LATE = 21


def span_of(span: timedelta) -> str:
    """A span in words, "" for less than a day; who has waited for 40 hours says two days.

    >>> span_of(timedelta(days=2, hours=5))
    'two days'
    """
    if span.days < 1:
        return ""
    days = round(span / timedelta(days=1))
    if days == 1:
        return "a day"
    if days <= MOST_DAYS:
        return f"{NUMBERS[days]} days"
    weeks = round(days / DAYS_A_WEEK)
    if weeks <= MOST_WEEKS:
        return f"{NUMBERS[weeks]} weeks"
    return "more than two months"


def told_ago(days: int) -> str:
    """How long ago a day was that many days back: `five weeks ago`."""
    if days <= 0:
        return "today"
    if days == 1:
        return "yesterday"
    if days <= MOST_DAYS:
        return f"{NUMBERS[days]} days ago"
    weeks = round(days / DAYS_A_WEEK)
    if weeks <= MOST_WEEKS:
        return f"{NUMBERS[weeks]} weeks ago"
    months = round(days / DAYS_A_MONTH)
    if months <= MOST_MONTHS:
        return f"{NUMBERS[months]} months ago"
    years = max(round(days / DAYS_A_YEAR), 1)
    return "about a year ago" if years == 1 else f"about {NUMBERS[min(years, 10)]} years ago"


def roughly_dated(days: int, day: date, today: date) -> str:
    """A rough date of a purchase, as it is told `days` later: `in early May`, `last week`.

    >>> roughly_dated(60, date(2021, 5, 3), date(2021, 7, 2))
    'in early May'
    """
    if days <= 0:
        return "today"
    if days == 1:
        return "yesterday"
    if days <= 5:
        return "a few days ago"
    if days <= 6:
        return "about a week ago"
    if days <= 11:
        return "last week"
    if days <= 27:
        weeks = round(days / DAYS_A_WEEK)
        return f"about {NUMBERS[weeks]} weeks ago"
    other_year = day.year != today.year
    month = f"{day:%B}"
    if other_year and days > 200:
        month = f"{month} {day.year}"
    if day.day < EARLY:
        return f"in early {month}"
    if day.day < LATE:
        return f"in mid-{month}"
    return f"in late {month}"


ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
ENDINGS = {1: "st", 2: "nd", 3: "rd"}


def nth_in_words(number: int) -> str:
    """The place in a row, in figures from the tenth on.

    >>> nth_in_words(3), nth_in_words(12), nth_in_words(22)
    ('third', '12th', '22nd')
    """
    if number <= len(ORDINALS):
        return ORDINALS[number - 1]
    tens = number // 10 % 10
    if tens == 1:
        return f"{number}th"
    ending = ENDINGS.get(number % 10, "th")
    return f"{number}{ending}"


def told_day(today: date, back: int) -> str:
    """A day that lies so many days back, as people name days of the week before: `on Tuesday`.

    >>> told_day(date(2021, 7, 2), 3)
    'on Tuesday'
    """
    if back <= 1:
        return ("today", "yesterday")[back]
    day = today - timedelta(days=back)
    return f"on {day:%A}"
