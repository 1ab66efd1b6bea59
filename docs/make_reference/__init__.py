"""`make docs`: writes the pages of docs/reference from the program's own models.

Each module makes one page or a few of them, as Markdown text. Knows no page that a person writes.
"""
