#!/usr/bin/env python3
"""tools/wheel.py USR VERSION OUT: what the package installs below the folder USR as a Python wheel in the folder OUT, for
`pip install` beside the Python that jobs run in, and for `uvx`. Nothing is compiled or fetched."""

import base64
import hashlib
import os
import sys
import zipfile
from pathlib import Path

TAG = f"py3-none-manylinux_2_34_{os.uname().machine}"
# A wheel has no links.
ARENA = b'#!/bin/sh\nexec "$(dirname "$0")/trainyard" arena "$@"\n'
SUMMARY = "Distributed training jobs on one Linux machine: one program, no cluster, no containers"


def members(usr, version):
    """(name in the wheel, its bytes, whether it is a program) of all but the record."""
    yield f"trainyard-{version}.data/scripts/trainyard", (usr / "bin/trainyard").read_bytes(), True
    yield f"trainyard-{version}.data/scripts/arena", ARENA, True
    for file in sorted(file for file in (usr / "share").rglob("*") if file.is_file()):
        yield f"trainyard-{version}.data/data/{file.relative_to(usr)}", file.read_bytes(), False
    info = f"trainyard-{version}.dist-info"
    yield f"{info}/licenses/copyright", (usr / "share/doc/trainyard/copyright").read_bytes(), False
    yield f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: trainyard\nRoot-Is-Purelib: false\nTag: {TAG}\n".encode(), False
    yield f"{info}/METADATA", (f"Metadata-Version: 2.4\nName: trainyard\nVersion: {version}\nSummary: {SUMMARY}\n"
                               "License-Expression: Apache-2.0\nLicense-File: copyright\nRequires-Python: >=3.8\n").encode(), False


def main(usr, version, out):
    target = Path(out) / f"trainyard-{version}-{TAG}.whl"
    record = f"trainyard-{version}.dist-info/RECORD"
    lines = []
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        def add(name, data, program=False):
            entry = zipfile.ZipInfo(name)  # of 1980: the same bytes make the same wheel
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if program else 0o100644) << 16
            wheel.writestr(entry, data)

        for name, data, program in members(Path(usr), version):
            add(name, data, program)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            lines.append(f"{name},sha256={digest},{len(data)}")
        add(record, "\n".join([*lines, f"{record},,", ""]).encode())
    print(target)


if __name__ == "__main__":
    main(*sys.argv[1:])
