"""image load: what docker save writes, or an OCI archive, becomes the root of containers."""

import hashlib
import io
import json
import shutil
import subprocess
import tarfile

import pytest
from jobs import shell_job

BUSYBOX = "/bin/busybox"


@pytest.fixture(scope="module")
def image_tools(tools):
    for tool in ["skopeo", "umoci", BUSYBOX]:
        if not shutil.which(tool):
            pytest.skip(f"{tool} is missing: tools/setup images says why")


def add(archive, name, data=b"", mode=0o644, link=None):
    member = tarfile.TarInfo(name)
    member.size, member.mode = len(data), mode
    if link:
        member.type, member.linkname = tarfile.SYMTYPE, link
    archive.addfile(member, io.BytesIO(data))


@pytest.fixture(scope="module")
def archive(image_tools, tmp_path_factory):
    """As docker save writes it: one layer with busybox and a file."""
    layer = io.BytesIO()
    with tarfile.open(fileobj=layer, mode="w") as files:
        with open(BUSYBOX, "rb") as program:
            add(files, "bin/busybox", program.read(), 0o755)
        for name in ["sh", "cat", "echo", "ls", "env", "sleep", "test", "touch"]:
            add(files, f"bin/{name}", link="busybox")
        add(files, "etc/made-of", b"busybox and nothing else\n")
    data = layer.getvalue()
    config = json.dumps({
        "architecture": "amd64", "os": "linux",
        "config": {"Env": ["PATH=/bin", "COLOUR=blue"], "Cmd": ["sh", "-c", "echo my own"]},
        "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(data).hexdigest()]}}).encode()
    file = tmp_path_factory.mktemp("image") / "box.tar"
    with tarfile.open(file, "w") as saved:
        add(saved, "layer.tar", data)
        add(saved, "config.json", config)
        add(saved, "manifest.json", json.dumps(
            [{"Config": "config.json", "RepoTags": ["example/box:1"], "Layers": ["layer.tar"]}]).encode())
    return file


def run_in(server, name, image):
    script = "cat /etc/made-of; echo $COLOUR; ls /; touch /mine; sleep 0"
    server.create(shell_job(name, script, image=image))
    server.wait_phase(name, "Succeeded")
    return server.cli("logs", name).out.split("\n")


def test_saved_image_is_the_root_of_its_containers(server, archive):
    said = server.cli("image", "load", archive)
    assert said.code == 0 and "example/box:1 mapped" in said.out, repr(said)
    assert "command: [sh, -c, echo my own]" in said.out, repr(said)
    lines = run_in(server, "first", "example/box:1")
    assert lines[:2] == ["busybox and nothing else", "blue"] and "home" not in lines, lines
    (rootfs,) = (server.data / "images").iterdir()
    assert not (rootfs / "mine").exists(), "a container has a private layer over it"


def test_oci_archive_with_a_name_of_its_own(server, archive):
    other = server.folder / "oci.tar"
    subprocess.run(["skopeo", "--insecure-policy", "copy", f"docker-archive:{archive}", f"oci-archive:{other}"],
                   check=True, capture_output=True)
    nameless = server.cli("image", "load", other)
    assert nameless.code == 1 and "--name NAME" in nameless.err, repr(nameless)
    assert server.cli("image", "load", other, "--name", "mine").code == 0
    assert run_in(server, "second", "mine:latest")[1] == "blue"


@pytest.mark.parametrize("content,why", [(b"hello", "docker save"), (b"", "docker save"), (None, "is no file")])
def test_what_is_no_image_changes_nothing(server, image_tools, content, why):
    file = server.folder / "file"
    if content is not None:
        file.write_bytes(content)
    said = server.cli("image", "load", file)
    assert said.code == 1 and why in said.err and str(file) in said.err, repr(said)
    assert not (server.data / "images").exists() or not list((server.data / "images").iterdir())
    assert "mapped" in server.cli("image", "list").err


def test_damaged_image_changes_nothing(server, archive):
    file = server.folder / "file"
    file.write_bytes(archive.read_bytes().replace(b"busybox and nothing", b"something else here"))
    said = server.cli("image", "load", file)
    assert said.code == 1 and "nothing was changed" in said.err, repr(said)
    assert list((server.data / "images").iterdir()) == []


def test_missing_tools_are_named_with_what_installs_them(server):
    file = server.folder / "file"
    file.write_bytes(b"x")
    server.env["PATH"] = "/nonexistent"
    said = server.cli("image", "load", file)
    assert said.code == 1 and "apt-get install skopeo umoci" in said.err, repr(said)
    assert len(said.err.splitlines()) == 1
