"""The tasks, a file each: what is drawn and answered from the hidden story, the same truth by SOQL
over the org, SQL for the stand-alone proof, the oracle, a baseline, and what agents are told.

The functions that `draws` and `soql_truth` lead to share no code: they are two computations of one
truth. A new task is a file here, a line in `registry.TASKS`, and wordings of its seed queries in
`schemas/lexicons/base/tasks.yaml`.
"""
