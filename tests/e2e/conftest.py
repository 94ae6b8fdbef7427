"""Fixtures: a server for a test, or one for all tests of a file.

Each has its own data folder and free ports. When a test ends, everything is stopped, and the test
fails if a process or a mount of its pods is left. When a test fails, the end of its server's log
is part of the report.
"""

import shutil
import signal
import subprocess

import pytest
from harness import KUBECTL, ROOT, TRAINYARD, VENV, Server
from known_gaps import GAPS
from servers import run_server, user  # noqa: F401 (a fixture)

MNIST = ROOT / ".cache/mnist"

# What a shell starts in the background ignores Ctrl-C, and so would everything that tests start.
for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
    if signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(number, signal.SIG_DFL)


@pytest.fixture(scope="session")
def tools():
    if not TRAINYARD.exists():
        pytest.exit(f"{TRAINYARD} is missing: make build", 2)
    if not KUBECTL.exists():
        pytest.skip(f"{KUBECTL} is missing: tools/setup kubectl says why")


@pytest.fixture(scope="session")
def torch(tools):
    """What tests need that really train."""
    probe = subprocess.run([VENV / "bin/python", "-c", "import torch"], capture_output=True, text=True)
    if probe.returncode != 0:
        pytest.skip(f".venv has no torch ({probe.stderr.strip().splitlines()[-1]}): tools/setup python")
    if not (MNIST / "MNIST/raw").exists():
        pytest.skip(f"{MNIST} has no data: tools/setup data")


@pytest.fixture(scope="session")
def horovod(torch):
    """What tests need that train with Horovod, as the processes of mpirun."""
    for tool in ["mpirun", "ssh", "/usr/sbin/sshd"]:
        if not shutil.which(tool):
            pytest.skip(f"{tool} is missing: tools/setup mpi says why")
    probe = subprocess.run([VENV / "bin/python", "-c", "import horovod.torch"], capture_output=True, text=True)
    if probe.returncode != 0:
        pytest.skip(f".venv has no Horovod ({probe.stderr.strip().splitlines()[-1]}): make horovod")


class Gate:
    def __init__(self, folder):
        self.folder = folder

    def open(self, name="open"):
        (self.folder / name).touch()


@pytest.fixture
def server(tools):
    """A running server of this test alone."""
    yield from run_server()


@pytest.fixture
def gate(server):
    """What a script waits for with WAIT: it goes on when the test says gate.open(). Its volume is
    `gate`, mounted by jobs.gated()."""
    folder = server.folder / "gate"
    folder.mkdir()
    folder.chmod(0o777)
    made = server.cli("data", "create", "gate", "--path", folder)
    assert made.code == 0, repr(made)
    return Gate(folder)


@pytest.fixture
def stopped_server(tools):
    """One that the test starts itself."""
    yield from run_server(start=False)


@pytest.fixture(scope="module")
def shared_server(tools):
    """A running server for all tests of a file that only ask, or that use names of their own."""
    yield from run_server()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    report = yield
    if report.failed and report.when == "call":
        for value in getattr(item, "funcargs", {}).values():
            if isinstance(value, Server):
                report.sections.append(("server.log", value.log_tail()))
    return report


# Files that take half a minute and more, the longest first: begun last, one of them would keep
# everybody waiting for it alone.
LONG = ["training", "console_journey_start", "journey_mpi", "console_journey_ddp", "docs", "usage_series",
        "console_journey_mpi", "console_journey_seed", "console_samples", "api_hardening", "elastic", "journey_ps",
        "console_journey_ps", "journey_ddp", "storm",
        "newcomer", "console_apps", "console_create", "arena_cluster", "network", "pod_life"]
ORDER = {f"test_{name}": place for place, name in enumerate(LONG)}
# What judges the pace of ranks takes a minute, too, and comes when fewer trainings beside it keep the machine busy: after
# the long ones and most of the rest, but not last, so that nobody waits for it at the end.
ORDER["test_hangs"] = len(LONG) + 1


def place_of(stem):
    return ORDER.get(stem, len(LONG) + (2 if stem >= "test_pod" else 0))


def pytest_collection_modifyitems(items):
    """Tests of what is not there yet are expected to fail, and must be taken off the list when
    they no longer do."""
    items.sort(key=lambda item: place_of(item.path.stem))
    for item in items:
        name = f"{item.path.stem}::{item.name}"
        reason = next((why for pattern, why in GAPS.items() if name.startswith(pattern)), None)
        if reason:
            item.add_marker(pytest.mark.xfail(reason=reason, strict=True))
