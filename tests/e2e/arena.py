"""Arena's commands as people type them, and their tables: what is expected is laid out here once more, by the
rules of the tool, and compared byte for byte."""

import re

from harness import TRAINYARD

ARENA = TRAINYARD.parent / "arena"


def arena(server, *words, **more):
    return server.run([ARENA, *words], **more)


def shown(server, *words):
    """What a command that must succeed prints."""
    said = arena(server, *words)
    assert said.code == 0, repr(said)
    return said.out


def table(*rows):
    """Rows in columns that are two blanks apart; no line ends in blanks."""
    widths = [max(map(len, column)) + 2 for column in zip(*rows)]
    return "".join("".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() + "\n" for row in rows)


def ages(text):
    """The ages in a text, such as 42s, in their order."""
    return re.findall(r"(?<= )\d+[smhdy](?= |$)", text, re.M)
