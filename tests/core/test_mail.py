from __future__ import annotations

import smtplib
import socket
from collections.abc import Iterator
from email.message import Message

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.handlers import Message as MessageHandler

from app.core.mail import Mail, PrintingMailer, SmtpMailer, mailer_for
from app.core.settings import Settings

LETTER = Mail("alice@example.org", "Grüße", "Ein Wort: 東京\n")


class Inbox(MessageHandler):
    def __init__(self) -> None:
        super().__init__()
        self.messages: list[Message] = []

    def handle_message(self, message: Message) -> None:
        self.messages.append(message)


@pytest.fixture
def inbox() -> Iterator[tuple[Inbox, int]]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    handler = Inbox()
    controller = Controller(handler, hostname="127.0.0.1", port=port)
    controller.start()
    yield handler, port
    controller.stop()


async def test_mail_goes_out_through_smtp(inbox: tuple[Inbox, int]) -> None:
    handler, port = inbox
    await SmtpMailer(f"smtp://127.0.0.1:{port}", "Loci <loci@example.org>").send(LETTER)
    (message,) = handler.messages
    assert message["to"] == "alice@example.org"
    assert message["from"] == "Loci <loci@example.org>"
    body = message.get_payload(decode=True)
    assert isinstance(body, bytes)
    assert "東京" in body.decode()


async def test_a_password_never_goes_out_in_the_clear(inbox: tuple[Inbox, int]) -> None:
    handler, port = inbox
    with pytest.raises(smtplib.SMTPNotSupportedError):
        await SmtpMailer(f"smtp://loci:secret@127.0.0.1:{port}", "loci@example.org").send(LETTER)
    assert handler.messages == []


async def test_a_server_that_is_away_is_an_error_that_the_job_sees(inbox: tuple[Inbox, int]) -> None:
    with socket.socket() as closed:  # bound, so that nobody else takes the port, but not listening
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
        with pytest.raises(ConnectionRefusedError):
            await SmtpMailer(f"smtp://127.0.0.1:{port}", "loci@example.org").send(LETTER)


async def test_without_a_mail_server_mail_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    mailer = mailer_for(Settings())
    assert isinstance(mailer, PrintingMailer)
    await mailer.send(LETTER)
    assert "東京" in capsys.readouterr().out


def test_with_one_it_is_used() -> None:
    assert isinstance(mailer_for(Settings(smtp_url="smtp://localhost")), SmtpMailer)
