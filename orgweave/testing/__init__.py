"""Test doubles that ship with the package, so that tests need no patching.

`server` is a model's endpoint on the loopback that answers with the embedded writer's words and
misbehaves on demand, `chat` one that says what it is told to, and `org_server` an org's REST server
in a thread.
"""
