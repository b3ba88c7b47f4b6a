"""Requests over HTTP with one set of limits: for whatever extension reads from a server."""
