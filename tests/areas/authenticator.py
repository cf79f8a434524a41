"""A WebAuthn authenticator in software: real keys, real signatures, "none" attestation. Each fault can be asked for."""

from __future__ import annotations

import hashlib
import json
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass, field
from typing import Any

import cbor2
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

USER_PRESENT, USER_VERIFIED, BACKUP_ELIGIBLE, BACKED_UP, ATTESTED = 0x01, 0x04, 0x08, 0x10, 0x40


def encoded(raw: bytes) -> str:
    return urlsafe_b64encode(raw).rstrip(b"=").decode()


def decoded(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


@dataclass
class SoftwareAuthenticator:
    """Holds one credential, as a phone or a security key would; `counts` is False for one that is synced."""

    origin: str
    counts: bool = True
    flags: int = USER_PRESENT | USER_VERIFIED
    sign_count: int = 0
    credential_id: bytes = field(default_factory=lambda: secrets.token_bytes(32))
    key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))
    user_handle: bytes = b""

    def create(self, options: str, **changes: Any) -> str:
        """What `navigator.credentials.create()` gives for the server's options."""
        wanted = json.loads(options)
        self.user_handle = decoded(wanted["user"]["id"])
        numbers = self.key.public_key().public_numbers()
        public_key = {1: 2, 3: -7, -1: 1, -2: numbers.x.to_bytes(32, "big"), -3: numbers.y.to_bytes(32, "big")}
        attested = bytes(16) + len(self.credential_id).to_bytes(2, "big") + self.credential_id + cbor2.dumps(public_key)
        data = self._authenticator_data(changes.get("rp_id", wanted["rp"]["id"]), ATTESTED) + attested
        attestation = cbor2.dumps({"fmt": "none", "attStmt": {}, "authData": data})
        client_data = self._client_data("webauthn.create", wanted["challenge"], changes)
        return self._answer(clientDataJSON=client_data, attestationObject=attestation)

    def get(self, options: str, **changes: Any) -> str:
        """What `navigator.credentials.get()` gives for the server's options."""
        wanted = json.loads(options)
        if self.counts:
            self.sign_count += 1
        data = self._authenticator_data(changes.get("rp_id", wanted["rpId"]), 0)
        client_data = self._client_data("webauthn.get", wanted["challenge"], changes)
        signature = self.key.sign(data + hashlib.sha256(client_data).digest(), ec.ECDSA(hashes.SHA256()))
        handle = changes.get("user_handle", self.user_handle)
        return self._answer(clientDataJSON=client_data, authenticatorData=data, signature=signature, userHandle=handle)

    def _authenticator_data(self, rp_id: str, extra_flags: int) -> bytes:
        flags = bytes([self.flags | extra_flags])
        return hashlib.sha256(rp_id.encode()).digest() + flags + self.sign_count.to_bytes(4, "big")

    def _client_data(self, kind: str, challenge: str, changes: dict[str, Any]) -> bytes:
        return json.dumps(
            {
                "type": changes.get("kind", kind),
                "challenge": changes.get("challenge", challenge),
                "origin": changes.get("origin", self.origin),
                "crossOrigin": False,
            }
        ).encode()

    def _answer(self, **parts: bytes) -> str:
        identity = encoded(self.credential_id)
        response = {name: encoded(part) for name, part in parts.items()}
        return json.dumps({"id": identity, "rawId": identity, "type": "public-key", "response": response})
