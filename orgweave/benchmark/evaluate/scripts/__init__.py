"""Agents that need no model: they follow a script, act through the same tools as a model would, and
show what a score is worth.
"""
