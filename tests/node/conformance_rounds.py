"""Calls of the conformance suite that take several rounds: what is asked for first, and what is kept meanwhile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import mcp_types as types
from mcp import MCPError
from mcp.server import ServerRequestContext

from app.core.signing import Signer

Requests = dict[str, types.InputRequest]
_MAX_AGE_SECONDS = 600


def ask(message: str, field: str, kind: str = "string") -> types.ElicitRequest:
    """A form with one field."""
    schema: dict[str, Any] = {"type": "object", "properties": {field: {"type": kind}}, "required": [field]}
    return types.ElicitRequest(params=types.ElicitRequestFormParams(message=message, requested_schema=schema))


def sample(words: str) -> types.CreateMessageRequest:
    message = types.SamplingMessage(role="user", content=types.TextContent(type="text", text=words))
    return types.CreateMessageRequest(params=types.CreateMessageRequestParams(messages=[message], max_tokens=100))


NAME = {"user_name": ask("What is your name?", "name")}
CONFIRM = {"confirm": ask("Please confirm", "ok", "boolean")}
# What each round of a call asks for.
ROUNDS: Mapping[str, Sequence[Requests]] = {
    "test_input_required_result_elicitation": [{**NAME}],
    "test_input_required_result_sampling": [{"capital_question": sample("What is the capital of France?")}],
    "test_input_required_result_list_roots": [{"client_roots": types.ListRootsRequest()}],
    "test_input_required_result_request_state": [{**CONFIRM}],
    "test_input_required_result_multiple_inputs": [
        {**NAME, "greeting": sample("Generate a greeting"), "client_roots": types.ListRootsRequest()}
    ],
    "test_input_required_result_multi_round": [
        {"step1": ask("Step 1: What is your name?", "name")},
        {"step2": ask("Step 2: What is your favorite color?", "color")},
    ],
    "test_input_required_result_tampered_state": [{**CONFIRM}],
    "test_input_required_result_capabilities": [{**NAME, "greeting": sample("Generate a greeting")}],
    "test_input_required_result_prompt": [{"user_context": ask("What context should the prompt use?", "context")}],
}


def input_round(
    context: ServerRequestContext[Any, Any], name: str, params: types.InputResponseRequestParams, signer: Signer
) -> types.InputRequiredResult | None:
    """What the client has to answer before the call can go on, or None when all was answered.

    Without a state only the first round can have been asked. A state that is not ours is refused.
    """
    rounds, reached = ROUNDS[name], 0
    if params.request_state is not None:
        state = signer.read(params.request_state, _MAX_AGE_SECONDS)
        if not isinstance(state, dict) or state.get("name") != name:
            raise MCPError(code=types.INVALID_PARAMS, message="The request state is not one of this server.")
        reached = int(state["round"])
    if rounds[reached].keys() <= (params.input_responses or {}).keys():
        reached += 1
    if reached == len(rounds):
        return None
    requests = {key: asked for key, asked in rounds[reached].items() if _is_declared(context, asked)}
    return types.InputRequiredResult(
        input_requests=requests, request_state=signer.sign({"name": name, "round": reached})
    )


def _is_declared(context: ServerRequestContext[Any, Any], asked: types.InputRequest) -> bool:
    """Whether the client says that it answers such a request."""
    declared = context.session.client_capabilities or types.ClientCapabilities()
    if isinstance(asked, types.ElicitRequest):
        return declared.elicitation is not None
    return (
        declared.sampling is not None if isinstance(asked, types.CreateMessageRequest) else declared.roots is not None
    )
