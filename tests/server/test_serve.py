"""The server as a process: says where it is, answers, ends cleanly."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import urllib.request

import pytest

pytestmark = pytest.mark.thorough


@pytest.fixture
def server():
    command = [sys.executable, "-m", "servelab", "--port", "0", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        yield process, process.stdout.readline().strip()
        process.kill()


def test_it_prints_its_address_answers_and_ends_on_ctrl_c(server):
    process, address = server
    assert address.startswith("http://127.0.0.1:")
    with urllib.request.urlopen(f"{address}/healthz", timeout=10) as answer:
        assert json.load(answer) == {"status": "ok"}
    process.send_signal(signal.SIGINT)
    rest, errors = process.communicate(timeout=20)
    assert process.returncode == 130
    assert rest == ""
    assert errors.strip() == ""


def test_a_port_in_use_is_one_sentence():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        command = [sys.executable, "-m", "servelab", "--port", port, "--no-browser"]
        result = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert result.returncode == 2
    assert result.stderr == f"--port: {port} is in use; choose another, or 0 for a free one\n"


def test_a_host_that_is_none_is_one_sentence():
    command = [sys.executable, "-m", "servelab", "--host", "no.such.host.invalid", "--no-browser"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert result.returncode == 2
    assert result.stderr.startswith("--host: 'no.such.host.invalid' is no address of this machine")
