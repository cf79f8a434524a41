"""A study session in a browser without JavaScript."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import unescape

import httpx

from app.domain.scheduling import Rating
from tests.web.conftest import Visitor, text_of


@dataclass
class Sitting:
    """A person's session; `page` is its present page."""

    person: Visitor
    path: str
    page: httpx.Response

    @property
    def id(self) -> int:
        return int(self.path.rsplit("/", 1)[1])

    @property
    def text(self) -> str:
        return text_of(self.page)

    @property
    def item(self) -> str:
        return self.hidden("item")

    def hidden(self, name: str) -> str:
        """The value of a hidden field of the screen."""
        found = re.findall(rf'<input type="hidden" name="{name}" value="([^"]*)"', self.page.text)
        assert found, name
        return str(found[0])

    def options(self) -> list[str]:
        """The choices of a question, in their order."""
        found = re.findall(r'name="choice" value="\d+"[^>]*><span[^>]*>([^<]*)</span>', self.page.text)
        return [unescape(option) for option in found]

    async def step(self, step: str, status: int = 200, **fields: object) -> str:
        """Press a button of the screen; the words of what comes next."""
        given = {"item": self.item, **fields} if 'name="item"' in self.page.text else fields
        self.page = await self.person.post(f"{self.path}/{step}", status, **given)
        return self.text

    async def keep(self, rating: Rating | None = None, **fields: object) -> str:
        return await self.step("keep", **({"rating": int(rating)} if rating else {}), **fields)

    async def reload(self) -> str:
        self.page = await self.person.get(self.path)
        return self.text


async def sit_down(person: Visitor, deck_id: int | str = "", **wish: object) -> Sitting:
    """Start a session through its form."""
    answer = await person.post("/study", deck=deck_id, **wish)
    path = answer.headers["location"]
    assert re.fullmatch(r"/study/\d+", path)
    return Sitting(person, path, await person.get(path))


async def study_card(person: Visitor, deck_id: int, rating: Rating) -> None:
    """Answer the next card of a deck."""
    await (await sit_down(person, deck_id)).keep(rating)
