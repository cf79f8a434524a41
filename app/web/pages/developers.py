"""The developers' page: the server as a client meets it, generated from what is served. Public, without an account."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from litestar import Response, get

from app.domain.errors import N_, ErrorCode
from app.domain.plans import Plan, limits_for
from app.domain.scopes import DEFAULT_SCOPES, SENTENCES
from app.oauth.core import ACCESS_LIFETIME, REFRESH_LIFETIME
from app.oauth.grants import CODE_LIFETIME, REFRESH_GRACE
from app.web.api.oauth import metadata
from app.web.context import HtmlRequest, maybe_signed_in, page, web_context

MEANINGS: Mapping[ErrorCode, str] = {
    ErrorCode.PLAN_REQUIRED: N_(
        "The plan of the account does not include the tool, or what it allows is used up. A link to the plans is given."
    ),
    ErrorCode.INVALID_INPUT: N_(
        "An argument is missing or does not fit; the result names it. Correct it and call again."
    ),
    ErrorCode.NOT_FOUND: N_("There is no such thing in this account. Another account’s id gives the same."),
    ErrorCode.CONFLICT: N_("It changed in the meantime, or the place is taken. Read again, then decide."),
    ErrorCode.DECK_CARD_LIMIT_EXCEEDED: N_("A deck would hold more cards than one may. Nothing of the call was done."),
    ErrorCode.DECK_LIMIT_EXCEEDED: N_("The account has as many decks as its plan allows."),
    ErrorCode.RESTRICTED_CONTENT: N_("The text holds something that is not stored, such as a password or a key."),
    ErrorCode.SESSION_FINISHED: N_("The study session is over. Start another."),
    ErrorCode.ALREADY_ANSWERED: N_("The item was answered before, and the first answer stands."),
    ErrorCode.RATE_LIMITED: N_("Too many calls in a short time. The result says in how many seconds to try again."),
    ErrorCode.UNAVAILABLE: N_("A part is away for the moment. The same call may go through in a few seconds."),
}
"""What each code of a failed tool call means, and what a client does then."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer of the endpoint that is no result of a tool."""

    status: str
    when: str
    then: str


ANSWERS = (
    Answer(
        "400",
        N_("The body is not JSON, not JSON-RPC 2.0 or a batch, or the protocol version is not spoken here."),
        N_("Send one request in each POST, and one of the versions above."),
    ),
    Answer(
        "401",
        N_(
            "No token, or one that is unknown, expired, revoked or for another address. JSON-RPC code %(unauthorized)s."
        ),
        N_("Follow resource_metadata in WWW-Authenticate, and authorize with the scope named there."),
    ),
    Answer(
        "403",
        N_("The token lacks the tool’s scope (error=insufficient_scope), or the Origin is not allowed."),
        N_("Authorize again for the scope that is named. Hosts that expect it get the challenge in the tool’s result."),
    ),
    Answer(
        "404",
        N_("The method is unknown, in protocol versions in which that is a status."),
        N_("In the older ones it is JSON-RPC error -32601."),
    ),
    Answer(
        "405",
        N_("GET and DELETE: there is no event stream and no session to end."),
        N_("Send every message by POST; it is answered with JSON."),
    ),
    Answer("413", N_("The body has more than %(bytes)s bytes."), N_("Split the call.")),
    Answer("415", N_("The body is not application/json."), N_("Say what it is, in Content-Type.")),
    Answer("429", N_("Too many requests in a short time."), N_("Wait as many seconds as Retry-After says.")),
    Answer("503", N_("The database is away for the moment."), N_("Try again after Retry-After.")),
    Answer(
        "200, -32601 / -32602",
        N_("Unknown method; unknown tool or malformed params."),
        N_("Ask tools/list what there is."),
    ),
    Answer(
        "200, -32603",
        N_("Something failed here that you cannot mend. The message holds an incident id and nothing else."),
        N_("Report the id to the operator."),
    ),
    Answer(
        "200, isError",
        N_("The call failed for a reason that you can act on: see the codes."),
        N_('Read the text, or code and hint in _meta["loci/error"].'),
    ),
)

SPECIFICATIONS = (
    ("Model Context Protocol", "https://modelcontextprotocol.io/specification/latest"),
    ("MCP authorization", "https://modelcontextprotocol.io/specification/latest/basic/authorization"),
    ("JSON-RPC 2.0", "https://www.jsonrpc.org/specification"),
    ("JSON Schema 2020-12", "https://json-schema.org/draft/2020-12"),
    ("OAuth 2.1 (draft)", "https://datatracker.ietf.org/doc/draft-ietf-oauth-v2-1/"),
    ("RFC 6749: OAuth 2.0", "https://www.rfc-editor.org/rfc/rfc6749"),
    ("RFC 6750: bearer tokens", "https://www.rfc-editor.org/rfc/rfc6750"),
    ("RFC 7009: token revocation", "https://www.rfc-editor.org/rfc/rfc7009"),
    ("RFC 7591: dynamic client registration", "https://www.rfc-editor.org/rfc/rfc7591"),
    ("RFC 7636: PKCE", "https://www.rfc-editor.org/rfc/rfc7636"),
    ("RFC 8252: native apps", "https://www.rfc-editor.org/rfc/rfc8252"),
    ("RFC 8414: authorization server metadata", "https://www.rfc-editor.org/rfc/rfc8414"),
    ("RFC 8707: resource indicators", "https://www.rfc-editor.org/rfc/rfc8707"),
    ("RFC 9207: issuer identification", "https://www.rfc-editor.org/rfc/rfc9207"),
    ("RFC 9728: protected resource metadata", "https://www.rfc-editor.org/rfc/rfc9728"),
    (
        "Client id metadata documents (draft)",
        "https://datatracker.ietf.org/doc/draft-ietf-oauth-client-id-metadata-document/",
    ),
)
"""Names of documents, which are not translated."""


def pretty(value: object) -> str:
    """JSON as it is shown."""
    return json.dumps(value, indent=2, ensure_ascii=False)


@get("/developers")
async def developers_page(request: HtmlRequest) -> Response[str]:
    """Endpoints, tools with their live schemas, errors, limits and the authorization server."""
    await maybe_signed_in(request)
    web = web_context(request)
    return page(
        request,
        "connect/developers.html",
        nav="developers",
        reference=web.reference,
        schemas={tool.name: (pretty(tool.input_schema), pretty(tool.output_schema)) for tool in web.reference.tools},
        sentences=[sentence for sentence in SENTENCES if sentence.scope in DEFAULT_SCOPES],
        meanings=MEANINGS,
        answers=ANSWERS,
        plans=[
            (plan, limits_for(plan, web.settings.plan_figures)) for plan in (Plan if web.settings.plans else [Plan.PRO])
        ],
        oauth=metadata(web.settings),
        lifetimes={
            "code_seconds": int(CODE_LIFETIME.total_seconds()),
            "access_minutes": int(ACCESS_LIFETIME.total_seconds()) // 60,
            "refresh_days": REFRESH_LIFETIME.days,
            "grace_seconds": int(REFRESH_GRACE.total_seconds()),
        },
        specifications=SPECIFICATIONS,
    )


HANDLERS = [developers_page]
