"""The application in the test's own process and transaction, and browsers of the cast."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import unescape

import httpx
import pytest
from litestar import Litestar

from app.accounts import service as accounts
from app.accounts.views import AccountView
from app.core import clock, db
from app.core.settings import Settings
from app.main import create_app
from app.web.frame import RequestFrame
from tests.factories import make_account

BASE = "http://testserver"
SETTINGS = Settings(secret_key="k" * 32, public_url=BASE)


@pytest.fixture(scope="session")
def application() -> Litestar:
    """The real application. Its lifespan is not entered: the tests have their own pool."""
    return create_app(SETTINGS)


@dataclass
class Visitor:
    """A browser without JavaScript: keeps cookies, follows the redirect after a post when told to."""

    client: httpx.AsyncClient
    account: AccountView | None = None

    async def get(self, path: str, status: int = 200) -> httpx.Response:
        return await self._ask("GET", path, status)

    async def post(self, path: str, status: int = 303, /, **fields: object) -> httpx.Response:
        return await self._ask("POST", path, status, data=fields)

    async def submit(self, path: str, /, **fields: object) -> httpx.Response:
        """Post and go where the answer leads."""
        answer = await self.post(path, 303, **fields)
        return await self.get(answer.headers["location"].split("#")[0])

    def forget_notes(self) -> None:
        """The note that the next page would show."""
        if "loci_flash" in self.client.cookies:
            self.client.cookies.delete("loci_flash")

    async def _ask(self, method: str, path: str, status: int, **more: object) -> httpx.Response:
        answer = await self.client.request(method, path, **more)  # type: ignore[arg-type]
        assert answer.status_code == status, (answer.status_code, text_of(answer))
        return answer


def text_of(answer: httpx.Response) -> str:
    """The words of a page, without its frame."""
    main = re.search(r"<main.*?</main>", answer.text, flags=re.DOTALL)
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", main.group() if main else answer.text))).strip()


def visitor(application: Litestar, settings: Settings = SETTINGS) -> Visitor:
    """Somebody who is not signed in."""
    transport = httpx.ASGITransport(RequestFrame(application, settings))  # type: ignore[arg-type]
    headers = {"sec-fetch-site": "same-origin", "user-agent": "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0"}
    return Visitor(httpx.AsyncClient(transport=transport, base_url=settings.base_url, headers=headers))


async def signed_in(application: Litestar, account: AccountView) -> Visitor:
    """A browser in which `account` is signed in."""
    made = visitor(application)
    token = await accounts.open_session(account.id, now=clock.now(), address="127.0.0.1", user_agent="test")
    made.client.cookies.set("loci_session", token)
    made.account = account
    return made


@pytest.fixture
async def alice(rollback: None, application: Litestar) -> Visitor:
    return await signed_in(application, await make_account(now=clock.now()))


@pytest.fixture
async def bob(rollback: None, application: Litestar) -> Visitor:
    return await signed_in(application, await make_account("bob@example.org", now=clock.now()))


@pytest.fixture
async def carol(rollback: None, application: Litestar) -> Visitor:
    """Signed out."""
    return visitor(application)


async def new_deck(person: Visitor, title: str = "Capitals", **more: object) -> int:
    """A deck made through its form; its id."""
    answer = await person.post("/decks/new", **{"title": title, "description": "", "language": "", **more})
    found = re.fullmatch(r"/decks/(\d+)/cards/new", answer.headers["location"])
    assert found
    return int(found.group(1))


async def new_card(person: Visitor, deck_id: int, front: str, back: str = "back", tags: str = "") -> int:
    """A card made through its form; its id."""
    await person.post(f"/decks/{deck_id}/cards/new", front=front, back=back, tags=tags, front_rich="", back_rich="")
    return await db.fetch_value("SELECT max(id) FROM card")


def ids_on(answer: httpx.Response) -> list[int]:
    """The cards of the list on a page, in its order."""
    return [int(found) for found in re.findall(r'id="card-(\d+)"', answer.text)]
