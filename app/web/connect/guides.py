"""A guide for each client: what is needed, what to click, what is seen then. Pages and docs/connect are made of them.

Texts are message ids of the translation catalogue. They may hold `<b>` (words on a screen) and `<code>`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from app.domain.errors import N_
from app.web.connect import links

_LETTERS_A_LINE = 60


@dataclass(frozen=True, slots=True)
class Copyable:
    """Something to copy. `note` says when it is used."""

    label: str
    text: Callable[[str], str]
    """From the address of the MCP server."""
    note: str = ""

    def rows(self, url: str) -> int | None:
        """In how many lines it is shown; None when one is enough."""
        lines = sum(1 + len(line) // _LETTERS_A_LINE for line in self.text(url).split("\n"))
        return lines if lines > 1 else None


@dataclass(frozen=True, slots=True)
class Link:
    """A button that opens the client or one of its pages."""

    label: str
    href: Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Step:
    """What to do, and what is there to see afterwards."""

    do: str
    see: str
    with_url: bool = False
    """The address stands below, to be copied."""
    copy: tuple[Copyable, ...] = ()
    links: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Guide:
    """One client; `slug` is the last part of its page's address and its name among the troubles."""

    slug: str
    name: str
    title: str
    lead: str
    calls_from_outside: bool = False
    """It calls from its own servers, so an address of one machine does not do."""
    needs: tuple[str, ...]
    """Besides an account here."""
    steps: tuple[Step, ...]
    studying: str
    """How a study session looks in this client."""
    more_title: str = ""
    more: tuple[Copyable, ...] = ()

    @property
    def path(self) -> str:
        return f"/connect/{self.slug}"


_ALLOW = Step(
    N_(
        "A page of this site opens. Sign in if it asks you to, check which app is asking and with which account you "
        "are signed in, untick what the app should not do, and press <b>Allow</b>."
    ),
    N_("A page that says where your browser goes next; then you are back in the app."),
)
_IN_AN_APP = N_(
    "Say <b>study with me</b>. The study screen opens in the conversation: questions, buttons with the time until a "
    "card comes back, keys 1 to 4, and a button for the full screen. What the chat learns is your progress and what "
    "you missed, never an answer before you gave yours. Pictures and sounds of cards are one click away in the browser."
)
_WHERE_APPS_ARE = N_(
    "Say <b>study with me</b>. A version that shows MCP apps opens the study screen; another one asks the questions as "
    "text, one at a time: answer in your own words, or say how well you knew it."
)
_IN_WORDS = N_(
    "Say <b>study with me</b>. The questions come as text, one at a time: answer in your own words, by the letter of a "
    "choice, or say how well you knew it. After each answer you see the verdict and when the card comes back."
)
_TRY = N_("A list of your decks, or the news that there are none yet. The app may first show the call and ask you.")

CLAUDE = Guide(
    slug="claude",
    name="Claude",
    title=N_("Connect Claude"),
    lead=N_("claude.ai in the browser, the desktop app and the phone: added once, it is there in all of them."),
    calls_from_outside=True,
    needs=(
        N_("A Claude account. On the free plan Claude takes one connector of your own; paid plans take more."),
        N_("In a Team or Enterprise organisation an owner adds the connector first; each member then connects it."),
    ),
    studying=_IN_AN_APP,
    steps=(
        Step(
            N_("In Claude open <b>Customize</b> in the sidebar and there <b>Connectors</b>."),
            N_("The connectors that you have, and a plus or <b>Add</b> button above them."),
            links=(Link(N_("Open Claude’s connectors"), lambda _: "https://claude.ai/customize/connectors"),),
        ),
        Step(
            N_("Press that button and choose <b>Add custom connector</b>."),
            N_("A small window that asks for a name and for <b>Remote MCP server URL</b>."),
        ),
        Step(
            N_(
                "Call it Loci and paste the address. Leave the fields under <b>Advanced settings</b> empty: Claude "
                "registers itself here. Then press <b>Add</b>."
            ),
            N_("Loci in the list, not connected yet."),
            with_url=True,
        ),
        Step(N_("Press <b>Connect</b> beside it."), N_("A new window with a page of this site.")),
        _ALLOW,
        Step(
            N_("In a chat press the plus below the text, open <b>Connectors</b> and switch Loci on."),
            N_("Loci with its switch on. Its page under Connectors lists the tools that you allowed."),
        ),
        Step(N_("Write: <b>List my Loci decks.</b>"), _TRY),
    ),
)

CLAUDE_CODE = Guide(
    slug="claude-code",
    name="Claude Code",
    title=N_("Connect Claude Code"),
    lead=N_("One command in the terminal, then a page in the browser."),
    needs=(N_("Claude Code, installed and signed in."),),
    studying=_IN_WORDS,
    steps=(
        Step(
            N_("Run this in a terminal, outside a session. Without <b>--scope user</b> it counts for one project."),
            N_("<b>Added HTTP MCP server loci</b> and the address."),
            copy=(Copyable(N_("Command that adds Loci"), links.claude_code_add),),
        ),
        Step(
            N_(
                "Sign in: run the next command, or type <b>/mcp</b> in a session, choose <b>loci</b> and then "
                "<b>Authenticate</b>."
            ),
            N_("Your browser opens a page of this site."),
            copy=(Copyable(N_("Command that signs in"), lambda _: links.claude_code_login()),),
        ),
        _ALLOW,
        Step(
            N_("Go back to the terminal and type <b>/mcp</b>."),
            N_("<b>loci</b> as connected, with the number of its tools."),
        ),
        Step(N_("Ask: <b>List my Loci decks.</b>"), _TRY),
    ),
    more_title=N_("Other ways"),
    more=(
        Copyable(
            N_("With an access key"),
            links.claude_code_with_key,
            N_("For machines without a browser, and for jobs. Create the key under Keys and put it in."),
        ),
        Copyable(
            N_("For everybody in a project: .mcp.json"),
            links.claude_code_file,
            N_("Each person signs in with an account of their own."),
        ),
    ),
)

CHATGPT = Guide(
    slug="chatgpt",
    name="ChatGPT",
    title=N_("Connect ChatGPT"),
    lead=N_("Added on the web as a plugin of your own. Reading and writing work in chats, reading in deep research."),
    calls_from_outside=True,
    needs=(
        N_("ChatGPT on the web, on a plan that takes MCP servers of your own; a workspace’s admin can switch it off."),
        N_(
            "Where your ChatGPT has no <b>Add custom MCP server</b> yet, switch on <b>Developer mode</b> under "
            "Settings, Apps, Advanced settings; the button is then called <b>Create app</b>."
        ),
    ),
    studying=_IN_AN_APP,
    steps=(
        Step(
            N_("Open <b>Plugins</b> in ChatGPT, press the plus and choose <b>Add custom MCP server</b>."),
            N_("A form with a name, a description, a connection and an authentication."),
            links=(Link(N_("Open ChatGPT’s plugins"), lambda _: "https://chatgpt.com/plugins"),),
        ),
        Step(
            N_(
                "Call it Loci. Under <b>Connection</b> paste the address as <b>Server URL</b>, under authentication "
                "leave <b>OAuth</b>, and give no client id or secret: ChatGPT gets its own."
            ),
            N_("The form without a complaint about the address."),
            with_url=True,
        ),
        Step(
            N_("Read the warning, tick <b>I understand and want to continue</b> and press <b>Create as a plugin</b>."),
            N_("A window with a page of this site. If nothing opens, install the plugin and press Connect in it."),
        ),
        _ALLOW,
        Step(
            N_("Install the plugin if ChatGPT offers it, then start a chat and choose Loci from the plus menu."),
            N_("Loci named at the text field. Its page under Plugins lists the tools that you allowed."),
        ),
        Step(N_("Write: <b>List my Loci decks.</b>"), _TRY),
    ),
)

VSCODE = Guide(
    slug="vscode",
    name="VS Code",
    title=N_("Connect VS Code"),
    lead=N_("With GitHub Copilot in VS Code: one click, one command or one file."),
    needs=(N_("VS Code 1.102 or newer with Copilot Chat."),),
    studying=_WHERE_APPS_ARE,
    steps=(
        Step(
            N_("Press one of these, or run the command in a terminal."),
            N_("VS Code comes forward with a page about <b>loci</b> and an <b>Install</b> button."),
            copy=(Copyable(N_("Command that adds Loci"), links.vscode_command),),
            links=(
                Link(N_("Add to VS Code"), links.vscode_link),
                Link(N_("Add to VS Code Insiders"), lambda url: links.vscode_link(url, "vscode-insiders")),
                Link(N_("Add by way of vscode.dev"), links.vscode_web_link),
            ),
        ),
        Step(
            N_("Press <b>Install</b>. When VS Code asks whether to trust and start the server, agree."),
            N_("A question whether loci may sign in at this site; <b>Allow</b> it, and your browser opens."),
        ),
        _ALLOW,
        Step(
            N_("Open Copilot Chat, choose <b>Agent</b> and press the tools button below the text field."),
            N_("<b>loci</b> among the tools, ticked. <b>MCP: List Servers</b> in the command palette says it runs."),
        ),
        Step(N_("Ask: <b>List my Loci decks.</b>"), _TRY),
    ),
    more_title=N_("By file"),
    more=(
        Copyable(
            N_("mcp.json"),
            links.vscode_file,
            N_(
                "<b>MCP: Open User Configuration</b> in the command palette opens it; "
                "<b>.vscode/mcp.json</b> counts for one folder."
            ),
        ),
        Copyable(
            N_("mcp.json with an access key"),
            links.vscode_file_with_key,
            N_("For a remote machine without a browser. VS Code asks for the key once and keeps it out of the file."),
        ),
    ),
)

CURSOR = Guide(
    slug="cursor",
    name="Cursor",
    title=N_("Connect Cursor"),
    lead=N_("One click, or one file."),
    needs=(N_("Cursor, installed and signed in."),),
    studying=_WHERE_APPS_ARE,
    steps=(
        Step(
            N_("Press one of these."),
            N_("Cursor comes forward and asks whether to install <b>loci</b>; press <b>Install</b>."),
            links=(
                Link(N_("Add to Cursor"), links.cursor_link),
                Link(N_("Add by way of cursor.com"), links.cursor_web_link),
            ),
        ),
        Step(
            N_(
                "Open <b>Cursor Settings</b> and there the page of MCP tools. Beside loci press <b>Connect</b> "
                "(in some versions <b>Needs login</b>)."
            ),
            N_("Your browser opens a page of this site."),
        ),
        _ALLOW,
        Step(
            N_("Let the browser open Cursor and look at the settings again."),
            N_("A green dot beside loci and its tools below it."),
        ),
        Step(N_("Ask in the agent’s chat: <b>List my Loci decks.</b>"), _TRY),
    ),
    more_title=N_("By file"),
    more=(
        Copyable(
            N_("mcp.json"),
            links.cursor_file,
            N_("<b>~/.cursor/mcp.json</b> counts everywhere, <b>.cursor/mcp.json</b> in one project."),
        ),
        Copyable(
            N_("mcp.json with an access key"),
            links.cursor_file_with_key,
            N_("The key comes from the environment variable LOCI_KEY and stays out of the file."),
        ),
    ),
)

OTHER = Guide(
    slug="other",
    name=N_("Any other client"),
    title=N_("Connect another client"),
    lead=N_("Whatever speaks MCP over HTTP: with a sign-in page, or with a key where there is no browser."),
    needs=(N_("A client that takes a remote MCP server. The transport is called streamable HTTP, or just HTTP."),),
    studying=_WHERE_APPS_ARE,
    steps=(
        Step(
            N_("Where the client takes a server, connector or app, give it this address."),
            N_("The client finds the sign-in by itself. No client id or secret is needed."),
            with_url=True,
        ),
        _ALLOW,
        Step(N_("Ask: <b>List my Loci decks.</b>"), _TRY),
    ),
    more_title=N_("By file, and with an access key"),
    more=(
        Copyable(N_("The usual configuration file"), links.plain_file),
        Copyable(
            N_("The same with an access key"),
            links.plain_file_with_key,
            N_(
                "For scripts, servers and clients without a browser. Create the key under Keys, with only the "
                "permissions that the client needs; it is shown once and can be revoked at any time."
            ),
        ),
        Copyable(
            N_("See from a terminal whether address and key are right"),
            links.curl_with_key,
            N_("The answer lists the tools that the key may call."),
        ),
    ),
)

GUIDES: tuple[Guide, ...] = (CLAUDE, CLAUDE_CODE, CHATGPT, VSCODE, CURSOR, OTHER)
