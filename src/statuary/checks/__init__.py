"""Checks: tables of named functions from the catalogue to findings."""
