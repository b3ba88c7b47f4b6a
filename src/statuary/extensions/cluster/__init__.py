"""Contracts are built by the workers of a Dask cluster."""
