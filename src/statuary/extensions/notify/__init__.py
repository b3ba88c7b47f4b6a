"""Send the page's events to channels, each event once.

`statuary notify` compares two instants of the same timeline that builds and ticks publish, so its events need
no server and no database: an event is an update that was published in between, or a component's change of
status. The delivery state of a channel is recorded outside the build, in a file or an object of a store.

It uses a command, the key `notify` of site.yaml, documents (`notifications/<id>.json`, if `messages` is on),
and the extra `notify` for channels of the kind `apprise`.
"""
