"""Publish the status as metrics for Prometheus.

The document is `metrics.txt`.

It uses the key `prometheus` of site.yaml, and a document that changes with the status.
"""
