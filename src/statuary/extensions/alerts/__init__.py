"""Alerts: an alert of the monitoring becomes an edit of the content, a draft unless a rule publishes it.

`statuary incident from-alert` reads what Alertmanager, Grafana or PagerDuty posts, or a plain JSON form, on standard input. What it opens
has the alert's key, by which it finds it again: the same alert twice changes nothing, and its end resolves what it opened, never
what a person wrote.

Seams: a subcommand of `incident`, the key `alerts` of site.yaml.
"""
