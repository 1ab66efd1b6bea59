"""Verdicts on records and texts: pure functions that never raise on bad data."""
