"""Publish to an object store, and read sources from one."""
