"""A site is published to an object store, and sources are read from one."""
