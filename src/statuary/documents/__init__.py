"""Catalogue to documents: a folder per family, one URL table, one JSON encoder."""
