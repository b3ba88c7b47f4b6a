"""Records and status from a published site, for programs: a few typed objects over documents that are read when asked for."""
