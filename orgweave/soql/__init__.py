"""SOQL and SOSL over an org's SQLite file. Begin at `engine`.

The way of a text: `parse` (with `build` and `literals`) makes `nodes`; `compile` (with `scope`,
`select`, `where`, `functions`, `shown` and `grouping`) makes a `sql` plan of them; `database` runs
it and makes REST's records of the rows. `search` is SOSL: `needle` is the language between its
braces, `forms` knows the forms of a word, `index` finds, and `marks` marks what was found.
"""
