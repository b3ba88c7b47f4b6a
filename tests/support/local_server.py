"""A server on loopback that takes many connections at once."""

from http.server import ThreadingHTTPServer


class LocalServer(ThreadingHTTPServer):
    """Answers each connection in a thread of its own.

    Of http.server's five places for connections that wait, clients of this project fill more: the kernel drops those beyond,
    and they try again after a second, on a busy machine several times.
    """

    request_queue_size = 128
    daemon_threads = True
