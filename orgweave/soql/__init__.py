"""SOQL and SOSL over an org's SQLite file: text -> parse -> names and types -> parameterised SQL ->
records. Begin at `engine`.
"""
