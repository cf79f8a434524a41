"""From failures to pages: the status, the words, and no more than that."""

from __future__ import annotations

import pytest
from litestar import Litestar, get
from litestar.exceptions import HTTPException

from app.domain import errors
from app.domain.errors import AppError, ErrorCode, InvalidInput, RateLimited
from app.main import create_app
from app.web.errors import STATUS
from tests.web.conftest import SETTINGS, Visitor, text_of, visitor
from tests.web.test_security import check_headers

SECRET = "what a person stored"


def every_error() -> list[AppError]:
    """One of each class that has a code."""
    found: list[AppError] = []
    for kind in vars(errors).values():
        if isinstance(kind, type) and issubclass(kind, AppError) and kind is not AppError:
            more = {"retry_after_seconds": 7} if kind is RateLimited else {}
            found.append(kind("It did not work with %(thing)s.", "Take another.", thing="this", **more))
    return found


def failing(error: Exception) -> Litestar:
    """The application with a page that fails."""

    @get("/failing")
    async def fail() -> None:
        raise error

    application = create_app(SETTINGS)
    application.register(fail)
    return application


def test_every_code_has_a_class() -> None:
    assert {error.code for error in every_error()} == set(ErrorCode)


@pytest.mark.parametrize("error", every_error(), ids=lambda error: error.code)
async def test_an_error_is_a_page_with_its_words(error: AppError) -> None:
    answer = await visitor(failing(error)).get("/failing", STATUS[error.code])
    # What is missing is said in the page's own words: a row's speak of ids, to AI clients.
    words = (
        "It may have been deleted" if error.code is ErrorCode.NOT_FOUND else "It did not work with this. Take another."
    )
    assert words in text_of(answer)
    assert f"Error {STATUS[error.code]}" in text_of(answer)
    assert answer.headers.get("retry-after") == ("7" if isinstance(error, RateLimited) else None)
    check_headers(answer)


@pytest.mark.parametrize(
    ("raised", "status"),
    [
        (400, 400),
        (401, 400),
        (403, 403),
        (404, 404),
        (405, 405),
        (413, 413),
        (415, 400),
        (418, 400),
        (500, 500),
        (502, 500),
    ],
)
async def test_what_the_framework_refuses_is_a_page_without_its_detail(raised: int, status: int) -> None:
    answer = await visitor(failing(HTTPException(detail=SECRET, status_code=raised))).get("/failing", status)
    assert SECRET not in answer.text
    assert "<h1" in answer.text
    check_headers(answer)


async def test_a_fault_shows_an_incident_and_logs_it_without_its_message(
    capsys: pytest.CaptureFixture[str],
) -> None:
    answer = await visitor(failing(RuntimeError(SECRET))).get("/failing", 500)
    said = text_of(answer)
    [incident] = [word for word in said.split() if word.startswith("inc_")]
    logged = capsys.readouterr().err
    assert incident in logged
    assert answer.headers["x-request-id"] in logged
    assert "RuntimeError" in logged
    assert "test_errors.py" in logged, "the log does not say where"
    for text in (said, logged):
        assert SECRET not in text
    check_headers(answer)


async def test_a_page_that_cannot_be_made_still_answers(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError(SECRET)

    application = failing(InvalidInput("No."))
    monkeypatch.setattr("app.web.context.render", broken)
    answer = await visitor(application).get("/failing", 422)
    assert answer.headers["content-type"].startswith("text/plain")
    assert SECRET not in answer.text + capsys.readouterr().err


async def test_a_form_that_is_too_large_is_refused(carol: Visitor) -> None:
    answer = await carol.client.post("/sign-in", data={"email": "x" * 2_100_000})
    assert answer.status_code == 413
    assert "That is too large" in text_of(answer)


async def test_a_broken_form_is_refused(carol: Visitor) -> None:
    answer = await carol.client.post(
        "/sign-in", content=b"--x\r\nbroken", headers={"content-type": "multipart/form-data; boundary=x"}
    )
    assert answer.status_code in {400, 422}
    answer = await carol.client.post("/sign-in", content=b"{}", headers={"content-type": "multipart/form-data"})
    assert answer.status_code in {400, 422}
    answer = await carol.client.post("/sign-in", content=b"{broken", headers={"content-type": "application/json"})
    assert answer.status_code in {400, 422}


async def test_a_number_beyond_all_rows_is_not_found(alice: Visitor) -> None:
    for number in (2**63 - 1, 2**63, 10**30):
        await alice.post(f"/account/sessions/{number}/revoke", 404)
        await alice.post(f"/keys/{number}/revoke", 404, confirmed="1")
        await alice.post(f"/account/passkeys/{number}/remove", 404, confirmed="1")
        await alice.get(f"/decks/{number}", 404)
        await alice.get(f"/cards/{number}", 404)
