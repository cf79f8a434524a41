"""Plumbing without business words: settings, database, clock, ids, tokens, queue, logs."""
