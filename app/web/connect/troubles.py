"""What goes wrong when people connect a client, and the way out. Texts as in `app.web.connect.guides`;
`%(url)s` is the address of the MCP server."""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.errors import N_
from app.web.connect.guides import CHATGPT, CLAUDE, CLAUDE_CODE, CURSOR, OTHER, VSCODE, Guide


@dataclass(frozen=True, slots=True)
class Trouble:
    """What a person sees, and what to do. `guides` are those concerned; none means all."""

    seen: str
    way_out: str
    guides: tuple[Guide, ...] = ()
    with_plans: bool = False
    """It cannot happen on a server without plans."""

    def concerns(self, guide: Guide) -> bool:
        return not self.guides or guide in self.guides


TROUBLES: tuple[Trouble, ...] = (
    Trouble(
        N_("The app says that authorization failed"),
        N_(
            "Most often the app holds on to an earlier attempt. Remove Loci in the app altogether, add it again with "
            "the same address and connect anew. If you have connected it before, disconnect it under "
            "Connections as well."
        ),
    ),
    Trouble(
        N_("The address is not accepted, or no server is found there"),
        N_(
            "Copy it from this page: <code>%(url)s</code>. It ends in <code>/mcp</code>; a slash behind that does no "
            "harm, but a space or a line end copied with it does."
        ),
    ),
    Trouble(
        N_("The app cannot reach the server"),
        N_(
            "Claude and ChatGPT call from their makers’ servers, not from your computer. The address has to start with "
            "<code>https://</code> and be reachable from the internet: one that works only on your machine, in your "
            "network or behind a VPN does not do. Apps that run on your computer have no such limit."
        ),
        (CLAUDE, CHATGPT),
    ),
    Trouble(
        N_("You cannot add it in your organisation"),
        N_(
            "In a team’s Claude or ChatGPT only an owner or admin may add servers. Ask them to add the address once; "
            "after that each member connects with an account of their own."
        ),
        (CLAUDE, CHATGPT),
    ),
    Trouble(
        N_("Claude takes no further connector"),
        N_("On Claude’s free plan there is room for one of your own. Remove another, or move to a paid plan there."),
        (CLAUDE,),
    ),
    Trouble(
        N_("In ChatGPT nothing happens on pressing Create"),
        N_(
            "A message that the name is taken may have come and gone at the edge of the window. Only names are "
            "compared: choose another, such as “Loci cards”."
        ),
        (CHATGPT,),
    ),
    Trouble(
        N_("ChatGPT says that a name is taken which you no longer use"),
        N_(
            "Uninstalling keeps the name. Open the plugin’s menu with the three dots, choose <b>Manage</b>, open "
            "the menu of the page that appears and choose <b>Delete</b>."
        ),
        (CHATGPT,),
    ),
    Trouble(
        N_("The page here says that the request is too old"),
        N_("A request to connect waits half an hour for your decision. Go back to the app and start again."),
    ),
    Trouble(
        N_("You were signed in with another account"),
        N_(
            "Press <b>Use another account</b> on the page that asks you. If it is connected already, disconnect it "
            "under Connections of the wrong account and connect again."
        ),
    ),
    Trouble(
        N_("After Allow the browser does not come back to the program"),
        N_(
            "The program waits on the computer that it runs on. Over SSH, in a container or on a remote machine your "
            "browser cannot reach it: sign in on a machine with a browser, or use an access key. "
            "In Claude Code <code>claude mcp login loci --no-browser</code> takes the address by hand."
        ),
        (CLAUDE_CODE, VSCODE, CURSOR, OTHER),
    ),
    Trouble(
        N_("It is connected, but the plan does not allow saving"),
        N_(
            "The table on the Connect page says which tools each plan opens. What counts is the plan of the account "
            "that you connected, which may be another than you think: the page Connections shows what is connected to "
            "the account that you are signed in with."
        ),
        with_plans=True,
    ),
    Trouble(
        N_("It is connected, but only offers to read"),
        N_(
            "A permission was left out, or the address ends in <code>/readonly</code>. The page Connections lists what "
            "the app may do; connect it again to allow more."
        ),
    ),
    Trouble(
        N_("In the middle of a chat the app asks to connect again"),
        N_(
            "It needs a permission that you had not given. The page shows what it asks for now; what you allowed "
            "before stays allowed."
        ),
    ),
    Trouble(
        N_("The AI never uses Loci"),
        N_(
            "See that Loci is switched on in this chat and that its tools may be used. Then name it: “list my Loci "
            "decks” nearly always does it. A model without tools, or a mode without them, cannot call anything."
        ),
    ),
    Trouble(
        N_("A tool is missing"),
        N_(
            "An app sees only the tools that you allowed, and it keeps the list for a while. Reload the app’s list of "
            "tools or start a new chat; if the permission is missing, connect again. Addresses that end in "
            "<code>/readonly</code> never offer tools that change something."
        ),
    ),
    Trouble(
        N_("Your access key is refused"),
        N_(
            "Keys are revoked and expire; the page Keys says so. The header is <code>Authorization: Bearer</code>, a "
            "space and the whole key, once, without quotation marks around the key and without a line end."
        ),
        (CLAUDE_CODE, VSCODE, CURSOR, OTHER),
    ),
    Trouble(
        N_("Too many requests"),
        N_(
            "Calls are counted by the minute. Wait as long as the message says; nothing was lost and nothing half done."
        ),
    ),
    Trouble(
        N_("An answer was lost on the way"),
        N_("Let the app do the same again. Cards that are there already are skipped, so nothing is saved twice."),
    ),
)
"""In the order in which to go through them."""


def troubles_of(guide: Guide | None = None, *, plans: bool) -> list[Trouble]:
    """Those that a client's people can meet, or all of them, on a server with or without plans."""
    return [
        trouble
        for trouble in TROUBLES
        if (guide is None or trouble.concerns(guide)) and (plans or not trouble.with_plans)
    ]
