"""Mail out of the house: a protocol, an SMTP gateway and one that prints, chosen by setting.

Mail is sent by a job, never inside a transaction or a request.
"""

from __future__ import annotations

import asyncio
import smtplib
import ssl
import sys
from dataclasses import dataclass
from email.message import EmailMessage
from typing import Protocol
from urllib.parse import unquote, urlsplit

from app.core.settings import Settings

_TIMEOUT_SECONDS = 20


@dataclass(frozen=True, slots=True)
class Mail:
    to: str
    subject: str
    text: str


class Mailer(Protocol):
    async def send(self, mail: Mail) -> None:
        """Send or raise; the job that called tries again later."""
        ...


class SmtpMailer:
    """Sends through `smtp://` (STARTTLS where the server offers it; with a password it must) or `smtps://`."""

    def __init__(self, url: str, sender: str) -> None:
        self._parts = urlsplit(url)
        self._sender = sender

    async def send(self, mail: Mail) -> None:
        message = EmailMessage()
        message["From"], message["To"], message["Subject"] = self._sender, mail.to, mail.subject
        message.set_content(mail.text)
        await asyncio.to_thread(self._deliver, message)

    def _deliver(self, message: EmailMessage) -> None:
        parts, context = self._parts, ssl.create_default_context()
        host = parts.hostname or "localhost"
        if parts.scheme == "smtps":
            client: smtplib.SMTP = smtplib.SMTP_SSL(host, parts.port or 465, timeout=_TIMEOUT_SECONDS, context=context)
        else:
            client = smtplib.SMTP(host, parts.port or 587, timeout=_TIMEOUT_SECONDS)
        with client:
            if parts.scheme != "smtps":
                client.ehlo()
                if client.has_extn("starttls") or parts.password:  # a password never goes out in the clear
                    client.starttls(context=context)
            if parts.username:
                client.login(unquote(parts.username), unquote(parts.password or ""))
            client.send_message(message)


class PrintingMailer:
    """Prints mail on the server's standard output: for a house without a mail server."""

    async def send(self, mail: Mail) -> None:
        sys.stdout.write(f"\n--- mail to {mail.to} ---\nSubject: {mail.subject}\n\n{mail.text}\n--- end of mail ---\n")
        sys.stdout.flush()


def mailer_for(settings: Settings) -> Mailer:
    """The mailer that the settings name."""
    return SmtpMailer(settings.smtp_url, settings.mail_from) if settings.smtp_url else PrintingMailer()
