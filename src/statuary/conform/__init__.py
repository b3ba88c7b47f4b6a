"""Tests any deployment against both APIs over HTTP: one of statuary, a real Sourcify, a real Statuspage."""
