"""A browser's part in the console's protocol: both halves of a session, and a WebSocket made of a socket."""

import base64
import http.client
import json
import os
import socket
import struct

from harness import wait_for


class Browser:
    """A tab that follows login links; it keeps the session's cookie and its secret."""

    def __init__(self, authority):
        self.authority = self.address = authority
        self.cookie = self.secret = None

    def ask(self, path, method="GET", body=None, **headers):
        """(status, headers, body as text)"""
        connection = http.client.HTTPConnection(self.authority, timeout=10)
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.cookie:
            sent["Cookie"] = self.cookie
        if self.secret:
            sent["X-Trainyard-Secret"] = self.secret
        connection.request(method, path, body, sent)
        response = connection.getresponse()
        text = response.read().decode()
        connection.close()
        return response.status, response.headers, text

    def follow(self, link):
        """What the page does with a link: what is behind its # goes nowhere but into this request."""
        page, token = link.removeprefix(f"http://{self.authority}").split("#token=")
        assert self.ask(page)[0] == 200
        status, headers, text = self.ask("/login", "POST", json.dumps({"token": token.split("&")[0]}))
        if status == 200:
            self.cookie = headers["Set-Cookie"].split(";")[0]
            self.secret = json.loads(text)["secret"]
        return status, headers, text


class WebSocket:
    """Text messages of JSON, as RFC 6455 frames them; only what the tests need."""

    def __init__(self, browser, path="/ws", **headers):
        host, port = browser.address.split(":")
        self.socket = socket.create_connection((host, int(port)), timeout=20)
        lines = {"Host": browser.authority, "Upgrade": "websocket", "Connection": "Upgrade",
                 "Sec-WebSocket-Version": "13",
                 "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(),
                 "Origin": f"http://{browser.authority}", **headers}
        if browser.cookie:
            lines["Cookie"] = browser.cookie
        request = f"GET {path} HTTP/1.1\r\n" + "".join(f"{k}: {v}\r\n" for k, v in lines.items()) + "\r\n"
        self.socket.sendall(request.encode())
        self.buffer = b""
        self.status = int(self._until(b"\r\n\r\n").decode().split()[1])
        self.received = []
        if self.status == 101 and getattr(browser, "secret", None):
            self.send({"secret": browser.secret})

    def _until(self, mark):
        while mark not in self.buffer:
            self._more()
        head, self.buffer = self.buffer.split(mark, 1)
        return head

    def _take(self, count):
        while len(self.buffer) < count:
            self._more()
        taken, self.buffer = self.buffer[:count], self.buffer[count:]
        return taken

    def _more(self):
        piece = self.socket.recv(65536)
        if not piece:
            raise ConnectionError("the server closed the socket")
        self.buffer += piece

    def send(self, message):
        self.send_frame(0x1, json.dumps(message).encode())

    def send_frame(self, opcode, data):
        first = 0x80 | opcode
        if len(data) < 126:
            size = struct.pack(">BB", first, 0x80 | len(data))
        elif len(data) < 65536:
            size = struct.pack(">BBH", first, 0x80 | 126, len(data))
        else:
            size = struct.pack(">BBQ", first, 0x80 | 127, len(data))
        # A mask of zeros is a mask, and leaves large messages as they are.
        self.socket.sendall(size + bytes(4) + data)

    def _frame(self):
        first, size = self._take(2)
        if size == 126:
            [size] = struct.unpack(">H", self._take(2))
        elif size == 127:
            [size] = struct.unpack(">Q", self._take(8))
        return first, self._take(size)

    def receive_frame(self):
        """(opcode, data) of the next frame, whatever it is."""
        first, data = self._frame()
        return first & 0x0F, data

    def receive(self):
        """The next message."""
        whole = b""
        while True:
            first, data = self._frame()
            if first & 0x0F in (0x0, 0x1):  # text, or its continuation
                whole += data
                if first & 0x80:
                    self.received.append(json.loads(whole))
                    return self.received[-1]
            elif first & 0x0F == 0x8:
                raise ConnectionError("the server closed the WebSocket")

    def receive_until(self, what, wanted):
        """Messages up to the first for which wanted(message) holds; that one."""
        def got():
            message = self.receive()
            return wanted(message) and message
        try:
            return wait_for(what, got, 20)
        except OSError as failed:
            raise AssertionError(f"{what}: {failed}; received {self.received[-5:]}") from None

    def close(self):
        self.socket.close()
