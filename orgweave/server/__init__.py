"""A local server that answers as the CRM's REST API does, over one org.

Begin at `api`; `app` puts it on HTTP, `served` opens the org.
"""
