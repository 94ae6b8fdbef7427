#!/usr/bin/env python3
"""Makes docs/pictures/kill.svg, the moving picture at the top of the README, from the real thing: a job of four processes on a
server of its own, of which one is killed while they train; what the commands say of it is recorded as it comes.
Needs what `make run` needs."""

import html
import itertools
import os
import pathlib
import re
import signal
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/e2e"))

from harness import Server  # noqa: E402
from terminal import Terminal  # noqa: E402

COLUMNS, ROWS = 104, 18
LONGEST_REST, LAST_REST = 1.2, 5.0  # seconds in which nothing changes; the picture is not to bore
TRAIN = '''"""A small model, really trained by four processes together."""
import time
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
torch.manual_seed(0)
model = DistributedDataParallel(torch.nn.Linear(32, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.03)
x = torch.randn(256, 32)
y = x.sum(1, keepdim=True)
for step in range(1, 101):
    loss = torch.nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if dist.get_rank() == 0 and step % 5 == 0:
        print(f"step {step}/100 loss {loss.item():.4f}", flush=True)
    time.sleep(0.1)
'''


class Screen:
    """What a terminal shows of lines with colours, which is all that these commands print."""

    def __init__(self):
        self.rows, self.colour, self.column = [[]], "", 0

    def write(self, text):
        for piece in re.findall(r"\x1b\[[0-9;?]*[A-Za-z]|[^\x1b]", text):
            if piece.startswith("\x1b"):
                self.control(piece)
            elif piece == "\n":
                self.rows.append([])
                self.column = 0
            elif piece == "\r":
                self.column = 0
            else:
                if self.column == COLUMNS:
                    self.rows.append([])
                    self.column = 0
                row = self.rows[-1]
                row[self.column:self.column + 1] = [(piece, self.colour)]
                self.column += 1

    def control(self, piece):
        if piece.endswith("m"):
            numbers = [n for n in piece[2:-1].split(";") if n not in ("", "0")]
            self.colour = " ".join(f"c{n}" for n in numbers)
        elif piece.endswith("K"):
            del self.rows[-1][self.column:]

    def seen(self):
        return tuple(tuple(row) for row in self.rows[-ROWS:])


class Film:
    """Screens and how long each stays."""

    def __init__(self):
        self.screen, self.frames, self.since = Screen(), [], time.monotonic()

    def show(self, text, rest=None):
        """`rest`: seconds that the screen before stays; else as long as it really did."""
        now = time.monotonic()
        stays = min(now - self.since, LONGEST_REST) if rest is None else rest
        self.since = now
        self.frames.append((stays, self.screen.seen()))
        self.screen.write(text)

    def type(self, command):
        self.show("\x1b[32m$\x1b[0m ")
        for sign in command:
            self.show(sign, rest=0.045)
        self.show("\n", rest=0.35)

    def end(self):
        self.frames.append((LAST_REST, self.screen.seen()))


def svg(frames):
    """One strip of all screens, moved up a screen at a time; rows that are seen often are written once."""
    wide, high, left, top = 7.9, 17, 14, 30
    width, height = round(COLUMNS * wide + 2 * left), ROWS * high + top + 12
    total = sum(stays for stays, _ in frames)
    numbers, strip, moves, at = {}, [], [], 0.0
    for number, (stays, rows) in enumerate(frames):
        moves.append(f"{100 * at / total:.3f}%{{transform:translateY({-number * height}px)}}")
        at += stays
        for line, row in enumerate(rows):
            if row:
                name = numbers.setdefault(row, f"r{len(numbers)}")
                strip.append(f'<use href="#{name}" y="{number * height + line * high}"/>')
    moves.append(f"100%{{transform:translateY({-(len(frames) - 1) * height}px)}}")

    def drawn(row):
        column = 0
        for colour, signs in itertools.groupby(row, key=lambda cell: cell[1]):
            text = "".join(sign for sign, _ in signs)
            if text.strip():
                yield (f'<tspan x="{left + column * wide:.1f}" textLength="{len(text) * wide:.1f}"'
                       f'{f""" class="{colour}" """.rstrip() if colour else ""}>{html.escape(text)}</tspan>')
            column += len(text)

    rows = "".join(f'<text id="{name}" y="{top + high - 4}">{"".join(drawn(row))}</text>' for row, name in numbers.items())
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">
<title>trainyard run with four processes, of which one is killed: the cause in one sentence</title>
<style>
text{{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#d7dde5;white-space:pre}}
.c1{{font-weight:700}}.c2{{opacity:.65}}.c31,.c91{{fill:#ff7b72}}.c32,.c92{{fill:#56d364}}.c33,.c93{{fill:#e3b341}}
.c34,.c94{{fill:#79c0ff}}.c35,.c95{{fill:#d2a8ff}}.c36,.c96{{fill:#56d4dd}}.c90{{fill:#8b949e}}
#strip{{animation:film {total:.2f}s steps(1,end) infinite}}
@keyframes film{{{"".join(moves)}}}
@media(prefers-reduced-motion:reduce){{#strip{{animation:none;transform:translateY({-(len(frames) - 1) * height}px)}}}}
</style>
<rect width="{width}" height="{height}" rx="8" fill="#11161d"/>
<circle cx="18" cy="15" r="5" fill="#ff5f57"/><circle cx="36" cy="15" r="5" fill="#febc2e"/><circle cx="54" cy="15" r="5" fill="#28c840"/>
<defs>{rows}</defs>
<svg width="{width}" height="{height}"><g id="strip">{"".join(strip)}</g></svg>
</svg>
"""


def follow(film, server, folder, *words, until=None):
    """Runs a command at a terminal and films what it prints; `until` is called with all its text at each look."""
    os.chdir(folder)
    terminal = Terminal([server.program, *words], server.env | {"TERM": "xterm-256color"}, (ROWS, COLUMNS))
    shown = 0
    while True:
        ended = terminal.process.poll() is not None
        if ended:
            time.sleep(0.2)
        text = terminal.text.replace("\r\n", "\n").replace(str(folder.parent), "~")  # as if filmed at home
        if len(text) > shown:
            film.show(text[shown:])
            shown = len(text)
        if ended:
            return
        if until and until(text):
            until = None
        time.sleep(0.03)


def kill_rank(server, rank):
    """The process of one rank, found as its user would find it."""
    for pid in os.listdir("/proc"):
        try:
            environ = pathlib.Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
            words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except OSError:  # not a process, or one that has ended
            continue
        if f"RANK={rank}".encode() in environ and b"train.py" in words and words[0].endswith(b"python"):
            os.kill(int(pid), signal.SIGKILL)
            return int(pid)
    raise SystemExit(f"moving picture: no process of rank {rank} was found")


def main():
    os.environ.pop("NO_COLOR", None)
    film = Film()
    with tempfile.TemporaryDirectory(prefix="film-", dir=ROOT / ".cache") as name:
        folder = pathlib.Path(name) / "mnist"
        folder.mkdir()
        (folder / "train.py").write_text(TRAIN)
        server = Server(name)
        server.program = os.environ.get("TRAINYARD", str(ROOT / "build/release/trainyard"))
        server.up()
        try:
            def kill(text):
                if "step 40" not in text:
                    return False
                pid = kill_rank(server, 3)
                film.show(f"\x1b[90m               # in another window:  kill -9 {pid}\x1b[0m\n")
                return True

            film.type("trainyard run -n 4 -- python train.py")
            follow(film, server, folder, "run", "-n", "4", "--", "python", "train.py", until=kill)
            film.type("trainyard list")
            follow(film, server, folder, "list")
            film.show("\x1b[32m$\x1b[0m ")
            film.end()
        finally:
            server.cli("down", "--all")
    target = ROOT / "docs/pictures/kill.svg"
    target.write_text(svg(film.frames))
    print(f"{target.relative_to(ROOT)}: {sum(stays for stays, _ in film.frames):.0f} s, {target.stat().st_size // 1024} kB")


if __name__ == "__main__":
    main()
