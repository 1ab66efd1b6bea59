"""The tools as a server of the Model Context Protocol, over stdio or HTTP.

The org's schema is its resource, `crm://schema`. Knows no single tool. Needs the package mcp, which
only the `mcp` command does; imported when serving begins.
"""

import logging
import signal
import socket
from importlib.metadata import version

import anyio
import anyio.to_thread
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListResourcesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    Resource,
    TextContent,
    TextResourceContents,
    Tool,
    ToolAnnotations,
)
from starlette.requests import ClientDisconnect

from orgweave.crm.seam import Crm
from orgweave.tools.definitions import described, parameters
from orgweave.tools.toolbox import FUNCTIONS, Toolbox, as_reply
from schemas.errors import ToolRefused

SCHEMA_URI = "crm://schema"
PATH = "/mcp"
TRANSPORT = "mcp.server.streamable_http"
"""The logger of what carries the protocol over HTTP."""
INSTRUCTIONS = (
    "Tools over the CRM of one company: its customers, orders, cases, conversations and knowledge"
    " articles. Nothing can be changed.\n"
    f"Read the resource {SCHEMA_URI} for object types and fields before writing SOQL or SOSL"
    " (`execute`); the other tools need no knowledge of them.\n"
    "Datetimes are in UTC, such as 2022-01-01T00:00:00Z; a window goes from its start up to, and"
    " without, its end."
)
ASKING = ("issue_soql_query", "issue_sosl_query", "execute")
OTHERWISE = {
    "submit": (
        "Takes the final answer and returns it. This server keeps no answer and ends nothing: other"
        " tools can be called afterwards, and submit again.\n\n"
        'Example: submit("005zz0000000001AAA") -> "005zz0000000001AAA"'
    )
}
"""Descriptions of tools that work here otherwise than in an episode."""
Context = ServerRequestContext[object]


def server_of(crm: Crm, schema: str) -> "Server[object]":
    """Returns a server of all tools over one CRM, each call independent of the others.

    `schema` is the text of its resource.
    """
    tools = _tools()
    resource = Resource(
        name="schema",
        uri=SCHEMA_URI,
        description="Object types and fields of the CRM",
        mime_type="text/plain",
    )

    async def list_tools(
        context: Context, params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        return ListToolsResult(tools=tools)

    async def call_tool(context: Context, params: CallToolRequestParams) -> CallToolResult:
        return await anyio.to_thread.run_sync(_called, crm, params)

    async def list_resources(
        context: Context, params: PaginatedRequestParams | None
    ) -> ListResourcesResult:
        return ListResourcesResult(resources=[resource])

    async def read_resource(
        context: Context, params: ReadResourceRequestParams
    ) -> ReadResourceResult:
        if params.uri != SCHEMA_URI:
            raise MCPError(
                INVALID_PARAMS, f"there is no resource {params.uri}; there is {SCHEMA_URI}"
            )
        content = TextResourceContents(
            uri=SCHEMA_URI,
            mime_type="text/plain",
            text=schema,
        )
        return ReadResourceResult(contents=[content])

    return Server(
        "orgweave",
        version=version("orgweave"),
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_read_resource=read_resource,
    )


def _tools() -> list[Tool]:
    """The tools as the protocol lists them; none of them changes anything."""
    return [
        Tool(
            name=name,
            description=OTHERWISE.get(name) or described(function),
            input_schema=parameters(function),
            annotations=ToolAnnotations(read_only_hint=True),
        )
        for name, function in FUNCTIONS.items()
    ]


def _called(crm: Crm, params: CallToolRequestParams) -> CallToolResult:
    """A tool's result as text; a refusal is an error that tells the agent why."""
    try:
        result = Toolbox(crm).call(params.name, params.arguments or {})
        text = as_reply(result)
        # Where the CRM refuses a text these tools give code and reason as a text; what it finds is
        # a list.
        refused = params.name in ASKING and isinstance(result, str)
    except ToolRefused as error:
        text, refused = str(error), True
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=refused)


def _stayed(record: logging.LogRecord) -> bool:
    """Whether a line of the log is about more than a client that hung up in mid-request.

    The transport logs that with a traceback, which whoever can connect could write at will.
    """
    error = record.exc_info[1] if record.exc_info else None
    return not isinstance(error, ClientDisconnect)


def serve_stdio(server: "Server[object]") -> None:
    """Serves this process's stdin and stdout until stdin ends; Ctrl-C ends the process."""
    # A thread that waits for stdin can't be interrupted; what is only read needs no tidying.
    signal.signal(signal.SIGINT, signal.SIG_DFL)

    async def serve() -> None:
        async with stdio_server() as (receiving, sending):
            await server.run(
                receiving,
                sending,
                server.create_initialization_options(),
            )

    anyio.run(serve)


def serve_http(server: "Server[object]", listening: socket.socket) -> None:
    """Serves streamable HTTP on a socket of this machine until interrupted.

    Requests that a foreign web page sends are refused.
    """
    import uvicorn  # brought by mcp; over stdio nobody needs it

    logging.getLogger(TRANSPORT).addFilter(_stayed)
    app = server.streamable_http_app(streamable_http_path=PATH, stateless_http=True)
    config = uvicorn.Config(app, log_level="warning", access_log=False)
    uvicorn.Server(config).run(sockets=[listening])
