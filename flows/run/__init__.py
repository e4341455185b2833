"""Who runs batches: this process, a process pool, Dask."""
