"""Feeds, calendar, badges and the payloads of webhooks."""
