"""Every verdict on a text, a conversation or an org.

Verifiers are pure: they use no network, change nothing, and never raise on bad data. They know
facts and texts (`material`), no writer and no run.
"""
