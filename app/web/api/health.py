"""`GET /health`: 200 when the database answers, 503 when it does not."""

from __future__ import annotations

from litestar import MediaType, Response, get

from app.core.db import fetch_value
from app.domain.errors import Unavailable


@get("/health", include_in_schema=False)
async def health() -> Response[dict[str, str]]:
    """Asked by load balancers and scripts; no account is needed and nothing is told."""
    try:
        await fetch_value("SELECT 1")
    except Unavailable:
        return Response({"status": "unavailable"}, status_code=503, media_type=MediaType.JSON)
    return Response({"status": "ok"}, media_type=MediaType.JSON)
