"""Measure services, and show the results as graphs and JSON.

Measurements are in files outside of git: CSV, or the output of Prometheus, Gatus, Uptime Kuma and
Upptime. A build reads them, and publishes the day, the week and the month of each metric in the form of
Statuspage's `metrics-display`, with a graph on the status page. `statuary probe` measures once: any scheduler
runs it.

It uses a command, the key `metrics` of site.yaml, parts of pages, and a section that adds documents.
"""
