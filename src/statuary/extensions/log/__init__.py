"""The transparency log of a site: a signed, append-only history.

It is on where site.yaml has `log`. It uses commands and options (`statuary log`, --log-key of build and
tick), settings, page parts (`pages`), and a stage: a build and a tick extend it by what they are about to
publish.
"""
