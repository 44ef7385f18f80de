"""Searching boards: boards are stable models too (``rules/core/search``)."""
