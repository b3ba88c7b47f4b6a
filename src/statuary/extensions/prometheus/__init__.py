"""Publish the status as metrics for Prometheus.

The document is `metrics.txt`.

Seams: the key `prometheus` of site.yaml, a document that changes with the status.
"""
