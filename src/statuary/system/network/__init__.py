"""The network: HTTP requests with limits, and sockets.

`client.py`: `get`, `fetch_range`, `fetch_size` and `stream` read documents, with retries on request; `send` returns the
response to any request, whatever its status. A server may be hostile: a response has a limit of bytes and
time, all responses of a command together have one too, a redirect never leads a public server's request into
a private network, and a key is sent only to its own server. Every failure is an `UnreachableError`.
"""
