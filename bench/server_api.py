"""The running server of a data folder, as its administrator: what the measurements in Python share."""

import http.client
import json
import ssl
import sys
import time
from pathlib import Path


class Api:
    def __init__(self, data):
        server = json.loads((data / "server.json").read_text())
        self.pid = server["pid"]
        context = ssl.create_default_context(cafile=str(data / "pki/ca.crt"))
        self.connection = http.client.HTTPSConnection(server["api"].removeprefix("https://"), context=context, timeout=600)
        self.headers = {"Authorization": "Bearer " + (data / "pki/admin.token").read_text(),
                        "Content-Type": "application/json"}

    def call(self, method, path, body=None):
        """The answer's bytes."""
        self.connection.request(method, path, body and json.dumps(body), self.headers)
        answer = self.connection.getresponse()
        text = answer.read()
        if answer.status >= 300:
            sys.exit(f"{method} {path}: {answer.status} {text.decode()}")
        return text


def wait_for(condition, what, seconds=120):
    """What the condition says once it says anything."""
    end = time.monotonic() + seconds
    while not (found := condition()):
        if time.monotonic() > end:
            sys.exit(f"{Path(sys.argv[0]).name}: {what} did not happen within {seconds} s")
        time.sleep(0.002)
    return found
