"""The writer and the judge that call a model: choosing, calls, limits, cost, batches.

Knows requests and prompts, no lanes and no orgs.
"""
