"""Commands, deep links and configuration files by which clients take the address of an MCP server.

The forms are those of the clients' own documentation; a test takes each apart again.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

NAME = "loci"
"""What the server is called in a client, unless the person calls it otherwise."""
KEY = "loci_pat_YOUR_KEY"
"""Stands where a person puts an access key."""


def _bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def _compact(value: Mapping[str, Any]) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def _pretty(value: Mapping[str, Any]) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def claude_code_add(url: str) -> str:
    """Adds the server for all projects of the person."""
    return f"claude mcp add --transport http --scope user {NAME} {url}"


def claude_code_login() -> str:
    """Opens the browser to sign in."""
    return f"claude mcp login {NAME}"


def claude_code_with_key(url: str) -> str:
    return f'{claude_code_add(url)} --header "Authorization: Bearer {KEY}"'


def claude_code_file(url: str) -> str:
    """The text of `.mcp.json` in a project."""
    return _pretty({"mcpServers": {NAME: {"type": "http", "url": url}}})


def vscode_command(url: str) -> str:
    """For a shell; on Windows the quotation marks inside need backslashes."""
    return f"code --add-mcp '{_compact({'name': NAME, 'type': 'http', 'url': url})}'"


def vscode_link(url: str, scheme: str = "vscode") -> str:
    """Opens VS Code (`vscode-insiders` the Insiders build) with the server ready to be installed."""
    return f"{scheme}:mcp/install?{quote(_compact({'name': NAME, 'type': 'http', 'url': url}), safe='')}"


def vscode_web_link(url: str) -> str:
    """The same by way of a web page, where a link with a scheme of its own is not followed."""
    config = quote(_compact({"type": "http", "url": url}), safe="")
    return f"https://insiders.vscode.dev/redirect/mcp/install?name={NAME}&config={config}"


def vscode_file(url: str) -> str:
    """The text of `mcp.json`."""
    return _pretty({"servers": {NAME: {"type": "http", "url": url}}})


def vscode_file_with_key(url: str) -> str:
    """The same with an access key that VS Code asks for and keeps."""
    asked = {"type": "promptString", "id": "loci-key", "description": "Loci access key", "password": True}
    server = {"type": "http", "url": url, "headers": _bearer("${input:loci-key}")}
    return _pretty({"inputs": [asked], "servers": {NAME: server}})


def cursor_link(url: str) -> str:
    """Opens Cursor with the server ready to be installed."""
    return f"cursor://anysphere.cursor-deeplink/mcp/install?{_cursor_query(url)}"


def cursor_web_link(url: str) -> str:
    """The same by way of a web page."""
    return f"https://cursor.com/en/install-mcp?{_cursor_query(url)}"


def _cursor_query(url: str) -> str:
    config = base64.b64encode(_compact({"url": url}).encode()).decode()
    return f"name={NAME}&config={quote(config, safe='')}"


def cursor_file(url: str) -> str:
    """The text of `mcp.json`."""
    return _pretty({"mcpServers": {NAME: {"url": url}}})


def cursor_file_with_key(url: str) -> str:
    return _pretty({"mcpServers": {NAME: {"url": url, "headers": _bearer("${env:LOCI_KEY}")}}})


def plain_file(url: str) -> str:
    """The form that most clients read."""
    return _pretty({"mcpServers": {NAME: {"type": "http", "url": url}}})


def plain_file_with_key(url: str) -> str:
    return _pretty({"mcpServers": {NAME: {"type": "http", "url": url, "headers": _bearer(KEY)}}})


def curl_with_key(url: str) -> str:
    """Lists the tools from a shell: shows whether address and key are right."""
    body = _compact({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    return (
        f'curl -H "Authorization: Bearer {KEY}" -H "Content-Type: application/json" '
        f"-H \"Accept: application/json, text/event-stream\" -d '{body}' {url}"
    )
