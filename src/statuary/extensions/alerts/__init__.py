"""Open and resolve incidents from the alerts of a monitoring system.

`statuary incident from-alert` reads the payload of Alertmanager, Grafana or PagerDuty, or a plain JSON form,
from a file or standard input. An incident that it opens is a draft unless a rule publishes it, and has the
alert's key: the same alert twice changes nothing, and its end resolves that incident, unless a person has
updated it.

It adds a subcommand of `incident` and the key `alerts` of site.yaml.
"""
