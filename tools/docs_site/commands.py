#!/usr/bin/env python3
"""commands.py PROGRAM FILE: writes what the program says of its commands, as Markdown."""

import os
import re
import subprocess
import sys
from pathlib import Path


def help_of(program, words):
    told = subprocess.run([program, *words, "--help"], capture_output=True, text=True,
                          env={"PATH": os.environ["PATH"], "HOME": "/root", "LANG": "C.UTF-8"}, check=True)
    # Where this machine's home folder is, and where the program was built, is nothing to read about.
    text = told.stdout.replace(str(program), "trainyard").replace("/root/", "~/")
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def subcommands(text):
    """Names that stand two spaces in below a heading of commands."""
    found, inside = [], False
    for line in text.splitlines():
        if re.match(r"\S", line):
            inside = bool(re.match(r"(Subcommands|Commands|SUBCOMMANDS|.+):$", line)) and not line.startswith(
                ("Options", "OPTIONS", "Positionals", "POSITIONALS", "Usage"))
        elif inside and (name := re.match(r"  ([a-z][\w-]*)(?:,\s*\w+)*\s{2,}\S", line)):
            found.append(name[1])
    return found


def sections(program, words, seen):
    text = help_of(program, words)
    if text in seen:
        return
    seen.add(text)
    level = "#" * min(2 + max(0, len(words) - 1), 4)
    yield f"{level} trainyard {' '.join(words)}".rstrip() + f"\n\n```\n{text}\n```\n"
    for name in subcommands(text):
        yield from sections(program, [*words, name], seen)


def reference(program):
    """All of it."""
    return "\n".join(sections(program, [], set()))


if __name__ == "__main__":
    Path(sys.argv[2]).parent.mkdir(parents=True, exist_ok=True)
    Path(sys.argv[2]).write_text(reference(Path(sys.argv[1]).resolve()))
