"""nginx and Caddy beside other sites: the site answers to its name, with a certificate of a local authority."""

import json
import os
import socket
import ssl
import subprocess
import time
from contextlib import closing
from http.client import HTTPConnection, HTTPSConnection
from pathlib import Path

import pytest

from statuary.extensions.hosting.host_files import HostOptions
from statuary.extensions.hosting.web_servers import make_caddy_files, make_nginx_files
from support.edge_runtimes import HOSTS_INSTALL
from support.host_servers import NGINX, project_for, running_server
from support.requirements import require_program

pytestmark = pytest.mark.slow

SITE, OTHER = "status.example.org", "www.example.org"
LOOPBACK = "127.0.0.1"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return project_for(tmp_path_factory) / "build"


def free_ports(count: int) -> list[int]:
    sockets = [socket.create_server((LOOPBACK, 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def get(port: int, name: str, path: str) -> tuple[int, bytes]:
    """Ask over HTTP for a path of a name."""
    with closing(HTTPConnection(LOOPBACK, port, timeout=30)) as connection:
        return answer(connection, name, path)


def get_secure(port: int, name: str, path: str, authority: Path) -> tuple[int, bytes]:
    """Ask over HTTPS for a path of a name, whose certificate an authority must have signed."""
    context = ssl.create_default_context(cafile=str(authority))
    with closing(HTTPSConnection(name, port, timeout=30, context=context)) as connection:
        plain = socket.create_connection((LOOPBACK, port), timeout=30)
        connection.sock = context.wrap_socket(plain, server_hostname=name)
        return answer(connection, name, path)


def answer(connection: HTTPConnection, name: str, path: str) -> tuple[int, bytes]:
    connection.request("GET", path, headers={"Host": name, "Connection": "close"})
    with connection.getresponse() as response:
        return response.status, response.read()


def is_status(answer: tuple[int, bytes]) -> bool:
    return answer[0] == 200 and json.loads(answer[1])["page"]["name"] == "Plinth"


def make_certificate(folder: Path) -> tuple[Path, Path]:
    """Make a certificate of a new authority for the site, and return it with its key."""
    certificate, key = folder / "cert.pem", folder / "key.pem"
    names = ["-subj", f"/CN={SITE}", "-addext", f"subjectAltName=DNS:{SITE}"]
    files = ["-out", str(certificate), "-keyout", str(key)]
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *names, *files]
    subprocess.run(command, check=True, capture_output=True)
    return certificate, key


def test_nginx_serves_domain_beside_other_site(root, tmp_path):
    program = require_program("nginx", install=HOSTS_INSTALL)
    require_program("openssl", install="apt install openssl")
    plain, secure = free_ports(2)
    certificate, key = make_certificate(tmp_path)
    [file] = make_nginx_files(HostOptions(root=str(root), listen=f"{LOOPBACK}:{plain}", domain=SITE))
    # what certbot adds to the server whose name it finds
    added = f"    listen {LOOPBACK}:{secure} ssl;\n    ssl_certificate {certificate};\n    ssl_certificate_key {key};\n"
    mark = f"    server_name {SITE};\n"
    assert file.text.count(mark) == 1
    (tmp_path / "statuary.conf").write_text(file.text.replace(mark, mark + added))
    other = (
        f'server {{ listen {LOOPBACK}:{plain} default_server; server_name {OTHER}; return 200 "other"; }}\n'
    )
    user = "user root;" if os.geteuid() == 0 else ""
    main = NGINX.format(own=tmp_path, user=user).replace("    include", f"    {other}    include")
    (tmp_path / "nginx.conf").write_text(main)
    command = [program, "-e", "stderr", "-p", str(tmp_path), "-c", str(tmp_path / "nginx.conf")]
    checked = subprocess.run([*command, "-t"], check=False, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr
    with running_server(command, f"{LOOPBACK}:{plain}"):
        assert is_status(get(plain, SITE, "/api/v2/status.json"))
        assert get(plain, OTHER, "/api/v2/status.json") == (200, b"other")
        assert is_status(get_secure(secure, SITE, "/api/v2/status.json", certificate))


@pytest.mark.parametrize(
    "options",
    [
        {"listen": SITE},
        {"domain": SITE},
        {"domain": SITE, "listen": "8080"},
        {"listen": "127.0.0.1:8080"},
        {"listen": "[::1]:8080"},
        {"listen": "::1", "domain": SITE},
        {"listen": f"{SITE}:8443"},
    ],
    ids=str,
)
def test_nginx_accepts_every_listen_address(options, root, tmp_path):
    program = require_program("nginx", install=HOSTS_INSTALL)
    [file] = make_nginx_files(HostOptions(root=str(root), **options))
    (tmp_path / "statuary.conf").write_text(file.text)
    user = "user root;" if os.geteuid() == 0 else ""
    (tmp_path / "nginx.conf").write_text(NGINX.format(own=tmp_path, user=user))
    checked = subprocess.run(
        [program, "-t", "-e", "stderr", "-p", str(tmp_path), "-c", str(tmp_path / "nginx.conf")],
        check=False,
        capture_output=True,
        text=True,
    )
    # a port below 1024, or IPv6, may be refused here; the configuration is what is tested
    assert "syntax is ok" in checked.stderr, checked.stderr


def await_certificate(port: int, name: str, authority: Path) -> None:
    """Wait for the certificate of a name: Caddy listens before it has written its authority and issued any."""
    for _ in range(600):
        try:
            get_secure(port, name, "/", authority)
        except (
            OSError
        ):  # the file is missing or cut off, or the handshake fails; ssl's errors are of this kind
            time.sleep(0.05)
        else:
            return
    raise AssertionError(f"no certificate for {name}")


def test_caddy_serves_domain_beside_other_site(root, tmp_path):
    program = require_program("caddy", install=HOSTS_INSTALL)
    plain, secure = free_ports(2)
    [file] = make_caddy_files(HostOptions(root=str(root), domain=SITE))
    (tmp_path / "statuary.caddy").write_text(file.text)
    (tmp_path / "Caddyfile").write_text(
        f"{{\n\tadmin off\n\tlocal_certs\n\tskip_install_trust\n\thttp_port {plain}\n\thttps_port {secure}\n}}\n\n"
        f'{OTHER} {{\n\trespond "other"\n}}\n\nimport statuary.caddy\n'
    )
    environment = {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)}
    command = [program, "run", "--config", str(tmp_path / "Caddyfile"), "--adapter", "caddyfile"]
    with running_server(command, f"{LOOPBACK}:{secure}", **environment):
        authority = tmp_path / "caddy/pki/authorities/local/root.crt"
        for name in (SITE, OTHER):
            await_certificate(secure, name, authority)
        assert is_status(get_secure(secure, SITE, "/api/v2/status.json", authority))
        assert get_secure(secure, OTHER, "/", authority) == (200, b"other")
        moved, _ = get(plain, SITE, "/api/v2/status.json")
        assert moved == 308, "Caddy sends readers to HTTPS"
