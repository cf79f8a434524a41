"""What AI clients did in an account, one row per call of a mutating tool."""
