#!/bin/sh
# Chromium for the browser tests: from the system's packages, where there are some and we may install them.
set -eu
for name in chromium chromium-browser google-chrome; do
  if command -v "$name" >/dev/null 2>&1; then exit 0; fi
done
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
  echo "Installing Chromium for the browser tests…"
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null
else
  echo "No Chromium here: the browser tests are skipped. Install the package 'chromium' to run them." >&2
fi
