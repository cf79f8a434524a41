"""The pages that people see, a module for each subject."""

from __future__ import annotations

from app.web.pages import account, activity, keys, passkeys, sign_in, study

PAGES = [
    *sign_in.HANDLERS,
    *account.HANDLERS,
    *passkeys.HANDLERS,
    *keys.HANDLERS,
    *activity.HANDLERS,
    *study.HANDLERS,
]
