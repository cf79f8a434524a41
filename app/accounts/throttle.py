"""How often somebody may guess, sign up or ask for mail: rates by account and by network address.

A bucket is named by a hash, so that the table of rates holds no e-mail address. Guesses at one account are counted for
each network address and, less strictly, for all together: one guesser cannot hold up the owner, who sits elsewhere, and
many guessers together do not get far. A passkey is never held up.
"""

from __future__ import annotations

import hashlib
from ipaddress import IPv6Address, ip_address

from app.core.ratelimit import Rate, check, seconds_to_wait

_GUESSES_BY_ACCOUNT_AND_ADDRESS = Rate(calls=1, seconds=30, burst=10)
_GUESSES_BY_ACCOUNT = Rate(calls=1, seconds=10, burst=60)
_GUESSES_BY_ADDRESS = Rate(calls=1, seconds=5, burst=30)
_SIGN_UPS_BY_ADDRESS = Rate(calls=1, seconds=60, burst=20)  # a class that signs up together shares an address
_RESETS_BY_ACCOUNT = Rate(calls=1, seconds=600, burst=3)
_RESETS_BY_ADDRESS = Rate(calls=1, seconds=60, burst=10)
_CONFIRMATIONS = Rate(calls=1, seconds=30, burst=10)


async def check_guess(email: str, address: str) -> None:
    """Take one try at the password of `email` (a key or any text); raises `RateLimited`."""
    await check_address(address)
    await check(_bucket("guess:account-address", f"{email} {network(address)}"), _GUESSES_BY_ACCOUNT_AND_ADDRESS)
    await check(_bucket("guess:account", email), _GUESSES_BY_ACCOUNT)


async def check_address(address: str) -> None:
    """Take one try at signing in from `address`; raises `RateLimited`."""
    await check(_bucket("guess:address", network(address)), _GUESSES_BY_ADDRESS)


async def check_sign_up(address: str) -> None:
    """Take one new account from `address`; raises `RateLimited`."""
    await check(_bucket("sign-up:address", network(address)), _SIGN_UPS_BY_ADDRESS)


async def check_reset(address: str) -> None:
    """Take one request for a reset link from `address`; raises `RateLimited`."""
    await check(_bucket("reset:address", network(address)), _RESETS_BY_ADDRESS)


async def may_mail_reset(email: str) -> bool:
    """Take one mail with a reset link; whether one may go out. Who asks is not told, so that nobody is shut out."""
    return await seconds_to_wait(_bucket("reset:account", email), _RESETS_BY_ACCOUNT) == 0


async def check_confirmation(account_id: int) -> None:
    """Take one try at the password of an account that is signed in; raises `RateLimited`."""
    await check(_bucket("confirm:account", str(account_id)), _CONFIRMATIONS)


def _bucket(name: str, subject: str) -> str:
    return f"{name}:{hashlib.sha256(subject.encode(errors='replace')).hexdigest()[:32]}"


def network(address: str) -> str:
    """What one caller holds: an IPv4 address, or the /64 of an IPv6 one."""
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return "unknown"
    if isinstance(parsed, IPv6Address):
        if parsed.ipv4_mapped is not None:
            return str(parsed.ipv4_mapped)
        return parsed.exploded[:19]
    return str(parsed)
