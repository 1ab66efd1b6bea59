"""What an agent works with: functions over a CRM, and ways to call them. Begin at `toolbox`.

`crm` is the seam to a CRM, `definitions` describes the functions to a model, and `mcp_server`
serves them by the Model Context Protocol.
"""
