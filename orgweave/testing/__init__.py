"""Test doubles of the package: a model's endpoint on the loopback that answers with the embedded
writer's words and misbehaves on demand.
"""
