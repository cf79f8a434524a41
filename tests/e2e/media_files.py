"""Pictures and sounds that tests make, and the form that takes them."""

from __future__ import annotations

import io
import math
import struct
import wave
import zlib

from playwright.async_api import FilePayload, Page


def picture(width: int, height: int) -> bytes:
    """A PNG of one colour."""
    rows = (b"\0" + b"\x20\x80\x80" * width) * height

    def chunk(name: bytes, data: bytes) -> bytes:
        return len(data).to_bytes(4) + name + data + zlib.crc32(name + data).to_bytes(4)

    header = width.to_bytes(4) + height.to_bytes(4) + b"\x08\x02\0\0\0"
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def tone(seconds: float = 2.0) -> bytes:
    """A WAV that can be heard."""
    made = io.BytesIO()
    with wave.open(made, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(8_000)
        heights = (int(9_000 * math.sin(at * 2 * math.pi * 440 / 8_000)) for at in range(int(8_000 * seconds)))
        sound.writeframes(b"".join(struct.pack("<h", height) for height in heights))
    return made.getvalue()


async def put_on_card(page: Page, address: str, side: str, **files: bytes) -> None:
    """Through the card's edit page at `address`."""
    await page.goto(address)
    chosen = [
        FilePayload(name=name, mimeType="application/octet-stream", buffer=content) for name, content in files.items()
    ]
    await page.locator(f"#f-{side}_files").set_input_files(chosen)
    await page.get_by_role("button", name="Change pictures and sounds").click()
    await page.locator(".notice", has_text="as you chose").wait_for()
