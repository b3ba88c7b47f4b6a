"""Publish sites to object stores, and read sources from them."""
