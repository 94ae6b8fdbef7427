"""The program as it is given to others: one file that runs on older systems, starts at once, and is small."""

import os
import re
import subprocess

from harness import TRAINYARD


def test_it_runs_with_the_glibc_of_ubuntu_22_04_and_rhel_9(tools):
    asked = subprocess.run(["objdump", "-T", TRAINYARD], capture_output=True, text=True, check=True).stdout
    versions = {tuple(map(int, found.split("."))) for found in re.findall(r"\bGLIBC_([\d.]+)", asked)}
    assert versions and max(versions) <= (2, 34), max(versions)
    headers = subprocess.run(["objdump", "-p", TRAINYARD], capture_output=True, text=True, check=True).stdout
    assert {"libc.so.6"} <= set(re.findall(r"NEEDED +(\S+)", headers)) - {"libm.so.6"} <= {"libc.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}


def test_it_starts_at_once():
    """Its own time of the CPU: what else the machine does must not count."""
    def seconds():
        process = subprocess.Popen([TRAINYARD, "--version"], stdout=subprocess.PIPE, text=True)
        said = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = status
        assert status == 0 and re.fullmatch(r"trainyard \d+\.\d+\.\d+ .*\n", said), said
        return used.ru_utime + used.ru_stime
    assert min(seconds() for _ in range(20)) < 0.010


def test_it_is_small_without_what_debuggers_want(tmp_path):
    subprocess.run(["strip", "--strip-all", "-o", tmp_path / "trainyard", TRAINYARD], check=True)
    assert (tmp_path / "trainyard").stat().st_size < 25_000_000
