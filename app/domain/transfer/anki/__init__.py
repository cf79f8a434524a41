"""Anki's packages as values: note types and templates, fields, schedules and logs, without files and databases."""
