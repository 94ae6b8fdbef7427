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

from harness import Stream, wait_for


class Terminal(Stream):
    def __init__(self, command, env, size=(24, 80)):
        self.master, slave = pty.openpty()
        self.resize(*size)
        self.text = ""
        self.command = " ".join(map(str, command))
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

    def wait_size(self, rows, columns):
        """Asks the shell again and again: kubectl sends the size beside what is typed."""
        def told():
            self.type("stty size\n")
            time.sleep(0.2)
            return re.search(rf"^{rows} {columns}\r$", self.text, re.M)
        try:
            wait_for(f"a terminal of {rows} x {columns}", told)
        except AssertionError as missed:
            raise AssertionError(f"{missed}\n{self!r}") from None

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
        self.wait_end()
        os.close(self.master)
