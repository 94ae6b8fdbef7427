"""trainyard data goes through the API's files door: from a machine that does not have the server's folders, as whoever may."""

import os
import shutil
import stat
import tempfile
from pathlib import Path

import pytest
from harness import TRAINYARD

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become a user who cannot read the server's folders")

OTHER = 54321


class Far:
    """Commands of somebody who has nothing but a kubeconfig: no data folder, and no right to read the server's."""

    def __init__(self, server, kubeconfig):
        self.server = server
        self.home = Path(tempfile.mkdtemp(prefix="far-", dir="/var/tmp"))
        shutil.copy(kubeconfig, self.home / "kubeconfig")
        # The build's folder may be closed to others.
        shutil.copy(TRAINYARD, self.home / "trainyard")
        self.own(self.home, *self.home.iterdir())

    def own(self, *paths):
        for path in paths:
            os.chown(path, OTHER, OTHER, follow_symlinks=False)

    def data(self, *args):
        command = ["setpriv", "--reuid", OTHER, "--regid", OTHER, "--clear-groups", "env", "-C", self.home,
                   self.home / "trainyard", "data", *args, "--kubeconfig", self.home / "kubeconfig"]
        return self.server.run(command, env={"HOME": str(self.home), "TRAINYARD_DATA_DIR": str(self.home / "none")})

    def done(self, *args):
        said = self.data(*args)
        assert said.code == 0, repr(said)
        return said.out


@pytest.fixture
def far(shared_server, request):
    name = request.node.name.replace("_", "-")[-30:].strip("-")
    kubeconfig = shared_server.folder / f"{name}.kubeconfig"
    made = shared_server.cli("user", "add", name, "--role", "edit", "--kubeconfig-out", kubeconfig)
    assert made.code == 0, repr(made)
    there = Far(shared_server, kubeconfig)
    yield there
    shutil.rmtree(there.home)


def test_files_folders_and_links_go_there_and_back(shared_server, far):
    far.done("create", "both")
    tree = far.home / "tree"
    (tree / "deep/deeper").mkdir(parents=True)
    (tree / "deep/a.txt").write_text("one\n")
    (tree / "empty").touch()
    (tree / "run.sh").write_text("#!/bin/sh\n")
    (tree / "run.sh").chmod(0o755)
    (tree / "link").symlink_to("deep/a.txt")
    big = os.urandom(3 << 20)
    (tree / "deep/deeper/big").write_bytes(big)
    far.own(tree, *tree.rglob("*"))
    far.done("cp", "tree", "both:in")
    there = shared_server.data / "volumes/default/both/in"
    assert (there / "deep/deeper/big").read_bytes() == big and (there / "run.sh").stat().st_mode & stat.S_IXUSR
    assert os.readlink(there / "link") == "deep/a.txt"
    assert far.done("cat", "both:in/link") == "one\n"
    assert [line.split()[0] for line in far.done("ls", "both:in").splitlines()[1:]] == [
        "deep/", "empty", "link@", "run.sh"]
    far.done("cp", "both:in", "back")
    back = far.home / "back"
    assert (back / "deep/deeper/big").read_bytes() == big and (back / "empty").read_bytes() == b""
    assert os.readlink(back / "link") == "deep/a.txt" and os.access(back / "run.sh", os.X_OK)
    assert back.stat().st_uid == OTHER
    # Again, over what is there; several into a folder; from one volume into another, and within one.
    far.done("cp", "tree", "both:")
    far.done("cp", "tree/run.sh", "both:in/deep/a.txt", "both:several/")
    far.done("create", "second")
    far.done("cp", "both:in/deep", "second:copy/of")
    far.done("cp", "second:copy/of", "second:again")
    assert far.done("cat", "second:again/a.txt") == "one\n"
    far.done("rm", "-r", "both:in")
    assert [line.split()[0] for line in far.done("ls", "both").splitlines()[1:]] == ["several/", "tree/"]


def test_what_is_wrong_is_told_before_anything_is_made(shared_server, far):
    far.done("create", "strict")
    said = far.data("cp", "missing", "strict:x")
    assert said.code == 1 and "missing: there is no such file or folder" in said.err, repr(said)
    said = far.data("cp", "kubeconfig", "no-such:x")
    assert said.code == 1 and "there is no volume no-such in namespace default" in said.err, repr(said)
    said = far.data("cat", "strict:x")
    assert said.code == 1 and "strict:x: there is no such file or folder" in said.err, repr(said)
    said = far.data("cat", "strict:")
    assert said.code == 1 and "no file but a folder" in said.err, repr(said)
    far.done("cp", "kubeconfig", "strict:in/")
    said = far.data("cp", "strict:in", "strict:in/again")
    assert said.code == 1 and "cannot be copied into itself" in said.err, repr(said)
    said = far.data("cp", "kubeconfig", "trainyard", "strict:in/kubeconfig")
    assert said.code == 1 and "several files need one" in said.err, repr(said)
    said = far.data("cp", "kubeconfig", "copy")
    assert said.code == 1 and "none of these is in a volume" in said.err, repr(said)
    assert not (far.home / "copy").exists()
    os.mkfifo(far.home / "pipe")
    said = far.data("cp", "pipe", "strict:p")
    assert said.code == 1 and "neither a file nor a folder" in said.err, repr(said)
    assert far.done("ls", "strict").split()[2:] == ["in/", "-"]


def test_nobody_gets_further_than_their_rights(shared_server, far):
    far.done("create", "private")
    far.done("cp", "kubeconfig", "private:file")
    view = shared_server.folder / "reader.kubeconfig"
    shared_server.cli("user", "add", "reader", "--role", "view", "--kubeconfig-out", view)
    shutil.copy(view, far.home / "kubeconfig")
    far.own(far.home / "kubeconfig")
    for words in [("ls", "private"), ("cat", "private:file"), ("cp", "private:file", "got"), ("rm", "private:file")]:
        said = far.data(*words)
        assert said.code == 1 and "forbidden" in said.err.lower(), repr(said)
    assert not (far.home / "got").exists()
    # Not by a link that a job has left, either.
    os.symlink("/etc", shared_server.data / "volumes/default/private/out")
    said = shared_server.cli("data", "cat", "private:out/passwd")
    assert said.code == 1 and "leads out of its volume" in said.err, repr(said)
    said = shared_server.cli("data", "cp", far.home / "trainyard", "private:out/x")
    assert said.code == 1 and not os.path.exists("/etc/x"), repr(said)


def test_a_volume_that_may_only_be_read(shared_server, far):
    folder = shared_server.folder / "fixed"
    folder.mkdir()
    (folder / "file").write_text("x")
    assert shared_server.cli("data", "create", "fixed", "--path", folder, "--read-only").code == 0
    far.done("cp", "fixed:file", "got")
    said = far.data("cp", "kubeconfig", "fixed:file2")
    assert said.code == 1 and "may only be read" in said.err, repr(said)
    assert os.listdir(folder) == ["file"]
