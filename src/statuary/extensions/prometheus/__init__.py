"""The status as metrics, which Prometheus scrapes and alerts on.

The document is `metrics.txt`.

Seams: the key `prometheus` of site.yaml, a document that changes with the status.
"""
