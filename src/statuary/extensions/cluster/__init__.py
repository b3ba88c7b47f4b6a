"""Build contracts on the workers of a Dask cluster."""
