"""A lean HTTP/1.1 client: the caller's own work must not hide what the server does."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping, Sequence
from typing import Any, Self
from urllib.parse import urlencode

_TIMEOUT_SECONDS = 30


class Failed(Exception):
    """An answer that a benchmark must not count."""


class Connection:
    """One kept connection, one request at a time."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    @classmethod
    async def open(cls, port: int) -> Self:
        return cls(*await asyncio.open_connection("127.0.0.1", port, limit=8_000_000))

    async def call(self, request: bytes) -> bytes:
        """The body of the answer. Raises `Failed` for another status than 200 and for a tool's error."""
        self._writer.write(request)
        head = await self._reader.readuntil(b"\r\n\r\n")
        body = await self._reader.readexactly(_length_of(head))
        if not head.startswith(b"HTTP/1.1 200") or b'"isError":true' in body or b'"error":{' in body:
            raise Failed(f"{head[:60]!r} {body[:300]!r}")
        return body

    def close(self) -> None:
        self._writer.close()


def _length_of(head: bytes) -> int:
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            return int(value)
    raise Failed(f"no length: {head[:60]!r}")


def tool_call(tool: str, arguments: Mapping[str, Any], key: str = "") -> bytes:
    """A request that calls an MCP tool."""
    return rpc("tools/call", {"name": tool, "arguments": arguments}, key)


def rpc(method: str, params: Mapping[str, Any], key: str = "") -> bytes:
    """A request with an MCP message."""
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    headers = ["Accept: application/json, text/event-stream", "MCP-Protocol-Version: 2025-06-18"]
    if key:
        headers.append(f"Authorization: Bearer {key}")
    return _request("POST", "/mcp", headers, "application/json", json.dumps(message).encode())


def page(path: str, session: str) -> bytes:
    """A request for a page."""
    return _request("GET", path, [f"Cookie: loci_session={session}"])


def form(path: str, session: str, **fields: object) -> bytes:
    """A posted form, as a browser sends it."""
    headers = [f"Cookie: loci_session={session}", "Sec-Fetch-Site: same-origin"]
    return _request("POST", path, headers, "application/x-www-form-urlencoded", urlencode(fields).encode())


def _request(method: str, path: str, headers: Sequence[str], content_type: str = "", body: bytes = b"") -> bytes:
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", *headers]
    if body:
        lines += [f"Content-Type: {content_type}", f"Content-Length: {len(body)}"]
    return "\r\n".join([*lines, "", ""]).encode() + body


async def timed(port: int, requests: Sequence[bytes], callers: int) -> list[float]:
    """Milliseconds of each request, sent by `callers` that each wait for their answer before the next one."""
    connections = [await Connection.open(port) for _ in range(callers)]
    waiting = iter(requests)
    taken: list[float] = []

    async def work(connection: Connection) -> None:
        for request in waiting:
            started = time.perf_counter()
            await connection.call(request)
            taken.append((time.perf_counter() - started) * 1000)

    try:
        async with asyncio.timeout(_TIMEOUT_SECONDS + len(requests)), asyncio.TaskGroup() as group:
            for connection in connections:
                group.create_task(work(connection))
    finally:
        for connection in connections:
            connection.close()
    return taken
