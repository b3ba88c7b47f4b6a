"""The transparency log of a site: a signed, append-only history.

It is enabled by the key `log` of site.yaml. It uses a command (`statuary log`), options of build and tick
such as `--log-key`, parts of pages, and a section, with which a build or tick extends the log before it
publishes.
"""
