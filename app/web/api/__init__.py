"""Endpoints for machines: health."""
