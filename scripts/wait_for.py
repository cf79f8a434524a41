"""Wait until an address answers 200; exit 1 when it has not within the time."""

from __future__ import annotations

import argparse
import sys
import time
import urllib.error
import urllib.request


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument("--seconds", type=float, default=30)
    given = parser.parse_args()
    deadline = time.monotonic() + given.seconds
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(given.url, timeout=2) as answer:  # noqa: S310 - the caller's own server
                if answer.status == 200:
                    return
        except (urllib.error.URLError, OSError):
            pass
        time.sleep(0.1)
    sys.exit(f"{given.url} did not answer 200 within {given.seconds:g} s")


if __name__ == "__main__":
    main()
