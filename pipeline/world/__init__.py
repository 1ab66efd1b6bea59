"""What every stage of making an org stands on: random streams, tables, the org so far, paths
through it, ids.
"""
