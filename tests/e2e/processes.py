"""What runs on this machine, from /proc and /sys."""

import glob
import os
from pathlib import Path


def read(path):
    try:
        return Path(path).read_text(errors="replace")
    except OSError:
        return ""


def all_pids():
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def command_line(pid):
    return read(f"/proc/{pid}/cmdline").replace("\0", " ").strip()


def is_alive(pid):
    """Whether anything of it is left that holds files. A killed process is a zombie from the end of
    its first thread on, while others may still be ending."""
    state = read(f"/proc/{pid}/stat").rpartition(")")[2].split()[:1]
    try:
        return state not in ([], ["Z"]) or len(os.listdir(f"/proc/{pid}/task")) > 1
    except FileNotFoundError:
        return False


def parent_of(pid):
    return int(read(f"/proc/{pid}/stat").rpartition(")")[2].split()[1])


def pids_running(marker):
    """Processes with that text in their command line."""
    return sorted(pid for pid in all_pids() if marker in command_line(pid) and is_alive(pid))


def shims_of(data_dir):
    """Shims that have a container. Others wait for one: they have no folder below pods/ open."""
    def open_files(pid):
        try:
            return [os.readlink(f"/proc/{pid}/fd/{number}") for number in os.listdir(f"/proc/{pid}/fd")]
        except OSError:  # it has just ended
            return []
    pods = os.path.join(os.path.realpath(data_dir), "pods", "")
    return [pid for pid in pids_running(f"{data_dir}/bin/shim")
            if any(path.startswith(pods) for path in open_files(pid))]


def cgroups_of(data_dir):
    """Control groups of the server with that data folder, of whichever version. Its name for them is a
    hash (FNV-1a) of the folder's path."""
    name = 0xcbf29ce484222325
    for byte in os.path.realpath(data_dir).encode():
        name = (name ^ byte) * 0x100000001b3 % 2**64
    own = f"trainyard-{name:016x}"
    return [path for root in ["/sys/fs/cgroup", "/sys/fs/cgroup/*"] for path in glob.glob(f"{root}/{own}")]
