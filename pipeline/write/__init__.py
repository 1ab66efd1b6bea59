"""Words: the units of an object type, the requests for them, and the writers that answer.

`work` cuts an object type's facts into units and lanes; `object_writing` walks the lanes, has each
mini-batch answered once by `service`, and has written again what the verifiers or the judge
refuse. `embedded` is the writer that needs no model; `pipeline.model` has the one that calls one.
"""
