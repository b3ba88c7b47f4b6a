"""Executors of a build: this process, several processes, or a cluster."""
