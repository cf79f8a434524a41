"""Passwords: what is accepted, and argon2id off the event loop. Knows no rows.

Parameters: 19 MiB, three passes, one lane: a pass more than the least that OWASP's Password Storage Cheat Sheet asks
for (19 MiB, two passes), about 50 ms of one core. The memory is kept small on purpose: with two threads a process never
uses more than 38 MiB for it, however many people sign in at once.
"""

from __future__ import annotations

import asyncio
import threading
from base64 import b64encode
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from app.accounts.fields import email_key
from app.domain.errors import N_, InvalidInput, Unavailable
from app.domain.unicode_forms import normal_form

PASSWORD_LETTERS_MIN = 10
PASSWORD_LETTERS_MAX = 200

_HASHER = PasswordHasher(time_cost=3, memory_cost=19 * 1024, parallelism=1, hash_len=32, salt_len=16)
_THREADS = 2
_PLACES = 42  # two at work and forty waiting: about a second at worst
_pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="argon2")
_places = threading.BoundedSemaphore(_PLACES)
Result = TypeVar("Result")

# The head of the published lists of leaked passwords, as far as it has ten characters.
_COMMONEST_TEXT = """
0000000000 0123456789 0987654321 1111111111 1122334455 1212121212 123123123123 1231231231 1234512345 1234554321
123456123456 12345678900 1234567890 12345678901 1234567891 12345678910 123456789012 123456789123 123456789a
123456789q 1234567890a 1234567890q 123456abcd 1234qwerasdf 1234qwer1234 12qwaszx12 1a2b3c4d5e 1q2w3e4r5t
1q2w3e4r5t6y 1qaz2wsx3edc 1qazxsw23edc 2222222222 3333333333 4444444444 5555555555 6666666666 7777777777
8888888888 9876543210 9999999999 a123456789 a1b2c3d4e5 aaaaaaaaaa aa12345678 abc1234567 abcd123456 abcde12345
abcdef1234 abcdefghij abcdefghijkl adminadmin admin12345 admin123456 administrator asdfasdfasdf asdfghjkl1
asdfghjkl123 asdfghjkl; asdf1234asdf basketball baseball123 butterfly1 changeme123 charlie123 chocolate1
computer123 football12 football123 iloveyou12 iloveyou123 iloveyou1234 iloveyouso jordan2323 letmein123
letmein1234 liverpool1 liverpoolfc manchester michael123 myspace123 p@ssw0rd123 p@ssword123 passw0rd123
password00 password01 password10 password11 password12 password123 password1234 password12345 password123456
password99 passwordpassword princess12 princess123 q1w2e3r4t5 q1w2e3r4t5y6 qazwsxedc1 qazwsxedc123 qazwsxedcrfv
qwer1234qwer qwert12345 qwerty1234 qwerty12345 qwerty123456 qwertyuiop qwertyuiop1 qwertyuiop123 qwertyuiop[]
qwertyqwerty sunshine12 sunshine123 superman12 superman123 trustno123 welcome123 welcome1234 welcome2024
welcome2025 welcome2026 zaq12wsxcde3 zaq1zaq1zaq1 zxcvbnm123 zxcvbnm1234 zxcvbnmzxcvbnm zzzzzzzzzz
correcthorsebatterystaple
"""
_COMMONEST = frozenset(_COMMONEST_TEXT.split())


def check_new(password: str, email: str, *, field: str = "password") -> None:
    """Raise `InvalidInput` unless `password` may become the password of the account `email`.

    Ten characters at least and no rule on their kinds (NIST SP 800-63B, 3.1.1.2); not the address, not a commonest one.
    """
    text = normal_form("NFC", password)
    folded = text.strip().casefold()
    if len(text) < PASSWORD_LETTERS_MIN:
        raise InvalidInput(
            N_("The password is shorter than %(least)s characters."),
            N_("A sentence of a few words is easy to remember and hard to guess."),
            field=field,
            least=PASSWORD_LETTERS_MIN,
        )
    if len(text) > PASSWORD_LETTERS_MAX:
        raise InvalidInput(
            N_("The password is longer than %(most)s characters."),
            N_("Shorten it."),
            field=field,
            most=PASSWORD_LETTERS_MAX,
        )
    if not folded:
        raise InvalidInput(N_("The password is blank."), N_("Choose one with letters or digits."), field=field)
    if email_key(folded) == email_key(email) or folded in _COMMONEST:
        raise InvalidInput(
            N_("This password is among the first that anybody would guess."), N_("Choose another."), field=field
        )


async def hashed(password: str) -> str:
    """The argon2id hash of a password, with its salt and parameters. Raises `Unavailable` when too many wait."""
    return await _off_the_loop(lambda: _HASHER.hash(_bytes(password)))


async def matches(password_hash: str | None, password: str) -> bool:
    """Whether `password` belongs to the hash. Takes as long without a hash (no such account) as with one.

    Raises `Unavailable` when too many wait.
    """
    too_long = len(password) > PASSWORD_LETTERS_MAX * 4  # NFC shortens; nothing this long was ever accepted
    secret = b"" if too_long else _bytes(password)
    return await _off_the_loop(lambda: _verified(password_hash or _NOBODY, secret)) and not too_long


def is_outdated(password_hash: str) -> bool:
    """Whether the hash was made with other parameters than today's."""
    return _HASHER.check_needs_rehash(password_hash)


def _nobody() -> str:
    """A hash in today's parameters that no password belongs to."""
    salt, digest = (b64encode(bytes(length)).rstrip(b"=").decode() for length in (_HASHER.salt_len, _HASHER.hash_len))
    cost = f"m={_HASHER.memory_cost},t={_HASHER.time_cost},p={_HASHER.parallelism}"
    return f"$argon2id$v=19${cost}${salt}${digest}"


_NOBODY = _nobody()


def _verified(password_hash: str, secret: bytes) -> bool:
    try:
        return _HASHER.verify(password_hash, secret)
    except (VerificationError, InvalidHashError):
        return False


def _bytes(password: str) -> bytes:
    """Keyboards differ in how they compose a letter; RFC 8265, 4.2.2 makes them agree."""
    return normal_form("NFC", password).encode(errors="surrogatepass")


async def _off_the_loop(work: Callable[[], Result]) -> Result:
    """Run `work` in the pool. A place is held until the thread is done, even if the waiting request is gone."""
    if not _places.acquire(blocking=False):
        raise Unavailable(N_("Too many people are signing in at this moment."), N_("Try again in a few seconds."))
    future: Future[Result] = _pool.submit(work)
    future.add_done_callback(lambda _: _places.release())
    return await asyncio.wrap_future(future)
