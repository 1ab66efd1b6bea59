"""One folder or archive to publish: the org as tables, the run that commands open, the tasks, a
card, the licence, and a SHA-256 of each file.
"""
