"""A running `mercer serve` for tests, on loopback and a free port."""

import contextlib
import http.client
import json
import os
import pathlib
import re
import signal
import socket
import subprocess

from conftest import PROGRAM

SLOW = 4 if os.environ.get("SANITIZERS") else 1  # how much longer things may take under sanitizers


class Server:
    def __init__(self, folder, *words, environment=None):
        words = [PROGRAM, "serve", *map(str, words), "--port", "0", "--json", "--quiet"]
        self.process = subprocess.Popen(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        env={**os.environ, **(environment or {})})
        told = self.process.stdout.readline()
        assert told, self.process.stderr.read()
        self.told = json.loads(told)
        self.port = self.told["port"]

    def ask(self, method, path, body=None, headers=None, timeout=60):
        """Status and document of one request on a connection of its own."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        if isinstance(body, (dict, list)):
            body, headers = json.dumps(body), {"Content-Type": "application/json", **(headers or {})}
        connection.request(method, path, body, headers or {})
        response = connection.getresponse()
        text = response.read()
        connection.close()
        self.headers = response.headers
        return response.status, json.loads(text) if response.headers["Content-Type"] == "application/json" else text

    def raw(self, data, wait=10):
        """What comes back for these very bytes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=wait) as peer:
            answer = b""
            try:
                peer.sendall(data)
            except OSError:  # it need not take all of them
                pass
            try:
                while part := peer.recv(65536):
                    answer += part
            except OSError:
                pass
            return answer

    def slice(self, **more):
        return self.ask("POST", "/api/slice", {"subject": 0, "k": 2, "x": 0, "y": 1, "n": 8, **more})

    def memory(self):
        """Resident bytes."""
        return int(pathlib.Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * 4096

    def peak_memory(self):
        return int(re.search(r"VmHWM:\s+(\d+) kB", self.status())[1]) * 1024

    def status(self):
        """What the kernel tells about the process."""
        return pathlib.Path(f"/proc/{self.process.pid}/status").read_text()

    def threads(self):
        """The same of each of its threads, but of those that end meanwhile."""
        found = []
        for folder in pathlib.Path(f"/proc/{self.process.pid}/task").iterdir():
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                found.append((folder / "status").read_text())
        return found

    def end(self):
        self.process.send_signal(signal.SIGINT)
        code = self.process.wait(timeout=60)
        errors = self.process.stderr.read()
        assert code == 0, errors
        assert errors == ""
