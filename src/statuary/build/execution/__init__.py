"""Where partitions are built: in this process, in processes, on Dask."""
