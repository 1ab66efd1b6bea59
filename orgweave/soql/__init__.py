"""SOQL and SOSL over an org's SQLite file. Begin at `engine`.

The way of a text: `parse` (with `build` and `literals`) makes `nodes`; `compile` (with `scope`,
`select`, `where` and `functions`) makes a `sql` plan of them; `database` runs it and makes REST's
records of the rows. `search` is SOSL, and `needle` the language between its braces.
"""
