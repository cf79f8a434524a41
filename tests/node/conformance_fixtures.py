"""The tools, resources and prompts that the official conformance suite calls, on the server of `app.mcp`.

Each handler answers for the suite's names and leaves everything else to the handler that was there before, so the
suite's calls take the same way as those of any client: endpoint, token, rate, protocol engine, middleware.
"""

from __future__ import annotations

import warnings
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import mcp_types as types
from mcp import MCPError
from mcp.server import Server, ServerRequestContext

from app.core.signing import Signer
from tests.node.conformance_rounds import ROUNDS, input_round

Context = ServerRequestContext[Any, Any]
Content = types.TextContent | types.ImageContent | types.AudioContent | types.EmbeddedResource

# A red pixel, and a sound without samples.
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA="


def text(words: str) -> types.TextContent:
    return types.TextContent(type="text", text=words)


def image() -> types.ImageContent:
    return types.ImageContent(type="image", data=PNG, mime_type="image/png")


def embedded(uri: str, words: str, mime_type: str = "text/plain") -> types.EmbeddedResource:
    resource = types.TextResourceContents(uri=uri, mime_type=mime_type, text=words)
    return types.EmbeddedResource(type="resource", resource=resource)


CONTENT: Mapping[str, list[Content]] = {
    "test_simple_text": [text("This is a simple text response for testing.")],
    "test_image_content": [image()],
    "test_audio_content": [types.AudioContent(type="audio", data=WAV, mime_type="audio/wav")],
    "test_embedded_resource": [embedded("test://embedded-resource", "This is an embedded resource content.")],
    "test_multiple_content_types": [
        text("Multiple content types test:"),
        image(),
        embedded("test://mixed-content-resource", '{"test":"data","value":123}', "application/json"),
    ],
    "test_streaming_elicitation": [text("Nothing but this result is sent.")],
}


async def _with_progress(context: Context) -> types.CallToolResult:
    for done in (0, 50, 100):
        await context.session.report_progress(done, 100)
    return types.CallToolResult(content=[text("Done.")])


async def _with_logging(context: Context) -> types.CallToolResult:
    with warnings.catch_warnings():  # logging is deprecated, and may not be sent to whom did not ask for it
        warnings.simplefilter("ignore")
        sending = context.session.send_log_message("info", "Called")
    await sending
    return types.CallToolResult(content=[text("Logged.")])


async def _error(_context: Context) -> types.CallToolResult:
    words = text("This tool intentionally returns an error for testing")
    return types.CallToolResult(is_error=True, content=[words])


async def _needs_sampling(_context: Context) -> types.CallToolResult:
    raise MCPError(
        code=types.MISSING_REQUIRED_CLIENT_CAPABILITY,
        message="This tool needs the sampling capability.",
        data={"requiredCapabilities": {"sampling": {}}},
    )


ACTIONS: Mapping[str, Callable[[Context], Awaitable[types.CallToolResult]]] = {
    "test_tool_with_progress": _with_progress,
    "test_logging_tool": _with_logging,
    "test_error_handling": _error,
    "test_missing_capability": _needs_sampling,
}

RESOURCES: Mapping[str, types.TextResourceContents | types.BlobResourceContents] = {
    "test://static-text": types.TextResourceContents(
        uri="test://static-text", mime_type="text/plain", text="This is the content of the static text resource."
    ),
    "test://static-binary": types.BlobResourceContents(uri="test://static-binary", mime_type="image/png", blob=PNG),
}
TEMPLATE = types.ResourceTemplate(
    name="template", uri_template="test://template/{id}/data", mime_type="application/json"
)


def _prompt(name: str, *arguments: str) -> types.Prompt:
    return types.Prompt(
        name=name,
        description=f"A prompt of the conformance suite: {name}",
        arguments=[types.PromptArgument(name=argument, required=True) for argument in arguments],
    )


PROMPTS = (
    _prompt("test_simple_prompt"),
    _prompt("test_prompt_with_arguments", "arg1", "arg2"),
    _prompt("test_prompt_with_embedded_resource", "resourceUri"),
    _prompt("test_prompt_with_image"),
    _prompt("test_input_required_result_prompt"),
)


def prompt_content(name: str, given: Mapping[str, str]) -> list[Content]:
    """What the user says in the prompt of that name, message by message."""
    match name:
        case "test_simple_prompt":
            return [text("This is a simple prompt for testing.")]
        case "test_prompt_with_arguments":
            return [text(f"Prompt with arguments: arg1='{given['arg1']}', arg2='{given['arg2']}'")]
        case "test_prompt_with_embedded_resource":
            resource = embedded(given["resourceUri"], "Embedded resource content for testing.")
            return [resource, text("Please process the embedded resource above.")]
        case "test_prompt_with_image":
            return [image(), text("Please analyze the image above.")]
        case "test_input_required_result_prompt":
            return [text("The context was given.")]
        case _:
            raise MCPError(code=types.INVALID_PARAMS, message="There is no such prompt.")


async def _list_resources(_context: Context, _params: Any) -> types.ListResourcesResult:
    return types.ListResourcesResult(resources=[types.Resource(uri=uri, name=uri) for uri in RESOURCES])


async def _list_templates(_context: Context, _params: Any) -> types.ListResourceTemplatesResult:
    return types.ListResourceTemplatesResult(resource_templates=[TEMPLATE])


async def _read_resource(_context: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
    found = RESOURCES.get(params.uri)
    if found is None and params.uri.startswith("test://template/") and params.uri.endswith("/data"):
        id = params.uri.removeprefix("test://template/").removesuffix("/data")
        found = types.TextResourceContents(uri=params.uri, mime_type="application/json", text=f'{{"id": "{id}"}}')
    if found is None:
        raise MCPError(code=types.INVALID_PARAMS, message="Resource not found", data={"uri": params.uri})
    return types.ReadResourceResult(contents=[found])


async def _list_prompts(_context: Context, _params: Any) -> types.ListPromptsResult:
    return types.ListPromptsResult(prompts=list(PROMPTS))


async def _complete(_context: Context, _params: types.CompleteRequestParams) -> types.CompleteResult:
    return types.CompleteResult(completion=types.Completion(values=["test value"], total=1, has_more=False))


def add_fixtures(server: Server[Any], signer: Signer) -> None:
    """Put the suite's tools before those of `server`, and its resources and prompts beside them.

    `signer` keeps what a tool remembers between the rounds of a call from being changed on the way.
    """
    list_tools, call_tool = (server.get_request_handler(f"tools/{what}") for what in ("list", "call"))
    assert list_tools is not None
    assert call_tool is not None
    names = (*CONTENT, *ACTIONS, *(name for name in ROUNDS if name != "test_input_required_result_prompt"))
    fixtures = [types.Tool(name=name, description=name, input_schema={"type": "object"}) for name in names]

    async def list_all(context: Context, params: types.PaginatedRequestParams) -> types.ListToolsResult:
        ours: Any = await list_tools.handler(context, params)
        return types.ListToolsResult(tools=[*ours.tools, *fixtures])

    async def call(context: Context, params: types.CallToolRequestParams) -> Any:
        name = params.name
        if name in CONTENT:
            return types.CallToolResult(content=list(CONTENT[name]))
        if name in ACTIONS:
            return await ACTIONS[name](context)
        if name in ROUNDS:
            asked = input_round(context, name, params, signer)
            return asked or types.CallToolResult(content=[text("Thank you: state-ok")])
        return await call_tool.handler(context, params)

    async def get_prompt(context: Context, params: types.GetPromptRequestParams) -> Any:
        if params.name in ROUNDS and (asked := input_round(context, params.name, params, signer)):
            return asked
        content = prompt_content(params.name, params.arguments or {})
        return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=item) for item in content])

    for method, kind, handler in (
        ("tools/list", types.PaginatedRequestParams, list_all),
        ("tools/call", types.CallToolRequestParams, call),
        ("resources/list", types.PaginatedRequestParams, _list_resources),
        ("resources/templates/list", types.PaginatedRequestParams, _list_templates),
        ("resources/read", types.ReadResourceRequestParams, _read_resource),
        ("prompts/list", types.PaginatedRequestParams, _list_prompts),
        ("prompts/get", types.GetPromptRequestParams, get_prompt),
        ("completion/complete", types.CompleteRequestParams, _complete),
    ):
        server.add_request_handler(method, kind, handler)
