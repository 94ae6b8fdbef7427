"""Servers for tests: of root, of an ordinary user who exists for the tests only, or of each of them in turn."""

import fcntl
import os
import pwd
import shutil
import subprocess
import tempfile

import pytest
from harness import TRAINYARD, Server

USER = f"ty-e2e-{os.getpid()}"


def as_user(*command):
    return ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--init-groups", *map(str, command)]


@pytest.fixture(scope="module")
def user(tools):
    """An account without rights, removed again."""
    if os.geteuid() != 0:
        pytest.skip("needs root, to make a user")
    for tool in ["useradd", "userdel", "setpriv", "unshare"]:
        if not shutil.which(tool, path=os.environ["PATH"] + ":/usr/sbin"):
            pytest.skip(f"{tool} is missing")
    subprocess.run(["/usr/sbin/useradd", "--no-create-home", "--user-group", USER], check=True)
    try:
        probe = subprocess.run(as_user("unshare", "--user", "--mount", "true"),
                               capture_output=True, text=True)
        if probe.returncode != 0:
            pytest.skip(f"no user namespaces on this machine: {probe.stderr.strip()}")
        yield pwd.getpwnam(USER)
    finally:
        subprocess.run(["/usr/sbin/userdel", "--force", USER], check=True)


class UserServer(Server):
    """Like Server, for the user: all that is typed at trainyard is typed by them."""

    def __init__(self, folder, user):
        super().__init__(folder)
        self.user = user
        # The source tree may be closed to others, and pods, which call it too, have a /tmp of their own.
        self.place = tempfile.mkdtemp(prefix="trainyard-e2e-", dir="/var/tmp")
        os.chmod(self.place, 0o755)
        self.program = shutil.copy(TRAINYARD, self.place)
        self.env["PATH"] = "/usr/local/bin:/usr/bin:/bin"
        for path in [self.folder, *self.folder.iterdir()]:
            os.chown(path, user.pw_uid, user.pw_gid)

    def cli(self, *args, input=None, timeout=60.0):
        return self.run(as_user(self.program, *args), input, timeout)

    def tear_down(self):
        try:
            super().tear_down()
        finally:
            shutil.rmtree(self.place)

    def kill(self):
        """Until its lock is free: when a process seems to be gone, threads of it may still be going."""
        super().kill()
        with open(self.data / "lock", "r+") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)

    def volume(self, name, *flags):
        """A folder of the user's, as the volume `name`."""
        folder = self.folder / name
        folder.mkdir()
        os.chown(folder, self.user.pw_uid, self.user.pw_gid)
        made = self.cli("data", "create", name, "--path", folder, *flags)
        assert made.code == 0, repr(made)
        return folder


def run_server(kind=Server, *args, start=True):
    server = kind(tempfile.mkdtemp(prefix="trainyard-e2e-"), *args)
    try:
        if start:
            server.up()
        yield server
    finally:
        server.tear_down()


def run_server_of(request):
    if request.param == "root":
        yield from run_server()
    else:
        yield from run_server(UserServer, request.getfixturevalue("user"))


# For tests of what root and everybody else can expect alike; under the name of the fixture that they stand for.


@pytest.fixture(scope="module", params=["root", "ordinary-user"])
def servers_of_both(request, tools):
    yield from run_server_of(request)


@pytest.fixture(params=["root", "ordinary-user"])
def own_servers_of_both(request, tools):
    yield from run_server_of(request)
