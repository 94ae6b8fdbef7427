"""A command that thinks it sits at a terminal."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
import threading
import time

from harness import wait_for


class Terminal:
    def __init__(self, command, env, size=(24, 80)):
        self.master, slave = pty.openpty()
        self.resize(*size)
        self.text = ""
        self.process = subprocess.Popen([str(word) for word in command], env=env, stdin=slave,
                                        stdout=slave, stderr=slave, start_new_session=True,
                                        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(slave)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        while True:
            try:
                piece = os.read(self.master, 65536)
            except OSError:
                return
            self.text += piece.decode(errors="replace")

    def resize(self, rows, columns):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, text):
        os.write(self.master, text.encode())

    def wait_text(self, pattern, timeout=20.0):
        try:
            return wait_for(pattern, lambda: re.search(pattern, self.text, re.M), timeout)
        except AssertionError as missed:
            raise AssertionError(f"{missed}\n{self.text!r}") from None

    def wait_size(self, rows, columns):
        """Asks the shell again and again: kubectl sends the size beside what is typed."""
        def told():
            self.type("stty size\n")
            time.sleep(0.2)
            return re.search(rf"^{rows} {columns}\r$", self.text, re.M)
        try:
            wait_for(f"a terminal of {rows} x {columns}", told)
        except AssertionError as missed:
            raise AssertionError(f"{missed}\n{self.text!r}") from None

    def wait_end(self, timeout=20.0):
        """The exit code of a command that ends by itself."""
        code = self.process.wait(timeout)
        self._reader.join(5)
        return code

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self._reader.join(5)
        os.close(self.master)
