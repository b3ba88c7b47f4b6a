"""Holding any deployment to both APIs, over HTTP: one of statuary's, a real Sourcify, a real Statuspage."""
