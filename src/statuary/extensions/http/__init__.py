"""Plain HTTP requests with limits: the one room that asks other servers.

`get`, `get_range`, `size_of` and `stream` read documents, with retries where they are asked for; `send` returns the
response to any request, whatever its status. A server may be hostile: a response has a limit of bytes and a pace, all
responses of a command together have one too, a redirect never leads a public server's request into a private network,
and a key stays with the server that it is for. Whatever fails is an `UnreachableError`.
"""
