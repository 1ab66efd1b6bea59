"""Agents put to the tasks of an org on Inspect AI, and what they score: solvers, scorers,
tables.
"""
