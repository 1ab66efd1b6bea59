"""A server for one org that answers as the CRM's REST API does. Begin at `served`, then `api`.

A request comes in at `listen` and `app` (HTTP), becomes a call (`call`), finds its handler in `api`
(`records`, `composite`, `queries`, `around`, `sync`, and in the folder `bulk`), and is answered
from what is served (`served`): the engine for reading, the folder `writing` over the `store` for
changes. Logins and who calls are in `login`.
"""
