"""Who a person is and how they prove it: accounts, passwords, browser sessions, passkeys, access keys."""
