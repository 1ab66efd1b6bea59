"""What an agent works with: functions over a CRM, their definitions, a toolbox that calls them, an
MCP server. Begin at `toolbox`.
"""
