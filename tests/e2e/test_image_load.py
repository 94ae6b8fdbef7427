"""image load: what docker save writes, or an OCI archive, becomes the root of containers."""

import hashlib
import io
import json
import os
import shutil
import subprocess
import tarfile

import pytest
from harness import wait_for
from jobs import DEFAULT_GROUP, mounting, shell_job
from servers import UserServer, run_server

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


PASSWD = "root:x:0:0::/root:/bin/sh\napp:x:1234:1235::/home/app:/bin/sh\n"
GROUP = "root:x:0:\napp:x:1235:\nstaff:x:50:app\n"


@pytest.fixture(scope="module")
def layer(image_tools):
    """One layer with busybox, users and a file."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as files:
        with open(BUSYBOX, "rb") as program:
            add(files, "bin/busybox", program.read(), 0o755)
        for name in ["sh", "cat", "echo", "ls", "env", "id", "pwd", "sleep", "test", "touch"]:
            add(files, f"bin/{name}", link="busybox")
        add(files, "etc/made-of", b"busybox and nothing else\n")
        add(files, "etc/passwd", PASSWD.encode())
        add(files, "etc/group", GROUP.encode())
    return made.getvalue()


def save_image(file, layer, config, name="example/box:1"):
    """As docker save writes it."""
    image = json.dumps({
        "architecture": "amd64", "os": "linux", "config": {"Env": ["PATH=/bin", "COLOUR=blue"], **config},
        "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(layer).hexdigest()]}}).encode()
    with tarfile.open(file, "w") as saved:
        add(saved, "layer.tar", layer)
        add(saved, "config.json", image)
        add(saved, "manifest.json", json.dumps(
            [{"Config": "config.json", "RepoTags": [name], "Layers": ["layer.tar"]}]).encode())
    return file


@pytest.fixture(scope="module")
def archive(layer, tmp_path_factory):
    file = tmp_path_factory.mktemp("image") / "box.tar"
    return save_image(file, layer, {"Cmd": ["sh", "-c", "echo my own"]})


@pytest.fixture
def load(server, layer):
    """Loads an image that wants to be run in a certain way."""
    def load_image(**config):
        said = server.cli("image", "load", save_image(server.folder / "made.tar", layer, config))
        assert said.code == 0, repr(said)
        return said.out
    return load_image


def bare_pod(name, **container):
    """Says nothing of what it runs."""
    spec = {"restartPolicy": "Never", "containers": [{"name": "main", "image": "example/box:1", **container}]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}


def said_by(server, made):
    server.create(made)
    name = made["metadata"]["name"]
    server.wait_phase(name, "Succeeded", "pod")
    return server.kubectl("logs", name)


def wait_for_reason(server, name, reason):
    """The message of a container that waits."""
    def message():
        (status,) = server.get("pod", name)["status"].get("containerStatuses") or [{}]
        waiting = status.get("state", {}).get("waiting", {})
        return waiting.get("message") if waiting.get("reason") == reason else None
    return wait_for(f"{name} to wait for {reason}", message)


def run_in(server, name, image):
    script = "cat /etc/made-of; echo $COLOUR; ls /; touch /mine; sleep 0"
    server.create(shell_job(name, script, image=image))
    server.wait_phase(name, "Succeeded")
    return server.cli("logs", name).out.split("\n")


def test_saved_image_is_the_root_of_its_containers(server, archive):
    said = server.cli("image", "load", archive)
    assert said.code == 0 and "example/box:1 mapped" in said.out, repr(said)
    assert "it runs, unless a pod says otherwise: sh -c 'echo my own'" in said.out, repr(said)
    lines = run_in(server, "first", "example/box:1")
    assert lines[:2] == ["busybox and nothing else", "blue"] and "home" not in lines, lines
    (rootfs,) = (server.data / "images").iterdir()
    assert not (rootfs / "mine").exists(), "a container has a private layer over it"


def test_an_image_says_what_runs_where_the_pod_does_not(server, load):
    load(Entrypoint=["echo", "entry"], Cmd=["own", "words"])
    assert said_by(server, bare_pod("neither")) == "entry own words\n"
    assert said_by(server, bare_pod("args", args=["$(WHO)"], env=[{"name": "WHO", "value": "mine"}])) == "entry mine\n"
    assert said_by(server, bare_pod("command", command=["echo", "all", "mine"])) == "all mine\n"
    (shown,) = json.loads(server.cli("image", "list", "-o", "json").out)
    assert (shown["entrypoint"], shown["cmd"]) == (["echo", "entry"], ["own", "words"])
    assert "echo entry own words" in server.cli("image", "list").out
    server.kill()
    server.up()
    assert said_by(server, bare_pod("later")) == "entry own words\n"


@pytest.mark.parametrize("kind", ["PyTorchTrainingJob", "GenericJob"])
def test_jobs_run_what_their_image_says(server, load, kind):
    load(Cmd=["sh", "-c", "echo my own"])
    made = shell_job("plain", "", image="example/box:1")
    made["kind"] = kind
    (group,) = made["spec"]["replicaSpecs"]
    group["template"]["spec"]["containers"][0].pop("command")
    if kind == "GenericJob":
        group.pop("restartPolicy")
        made["spec"]["successRules"] = [{"worker": [0]}]
    server.create(made)
    server.wait_phase("plain", "Succeeded", kind)
    assert server.cli("logs", "plain").out == "my own\n"


def test_an_image_without_any_command_is_told(server, load):
    load()
    server.create(bare_pod("idle"))
    assert "(example/box:1) has neither an Entrypoint nor a Cmd: set command" in wait_for_reason(server, "idle", "CreateContainerError")
    server.create(bare_pod("unknown", image="not-loaded"))
    assert "(not-loaded) runs in the host's environment" in wait_for_reason(server, "unknown", "CreateContainerError")


def test_an_images_folder_is_where_it_works(server, load):
    load(Cmd=["sh", "-c", "pwd; ls -a"], WorkingDir="/not/there")
    assert said_by(server, bare_pod("made")) == "/not/there\n.\n..\n"
    assert said_by(server, bare_pod("own", workingDir="/bin")).startswith("/bin\n")
    assert said_by(server, bare_pod("new", workingDir="/also/new")) == "/also/new\n.\n..\n"
    in_volume = mounting(bare_pod("volume"), {"emptyDir": {}}, "/not")
    assert said_by(server, in_volume).startswith("/not/there\n")
    (rootfs,) = (server.data / "images").iterdir()
    assert not (rootfs / "not").exists() and not (rootfs / "also").exists()


needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")


@needs_root
@pytest.mark.parametrize("user,uid,gid,groups,home", [
    ("4000", 4000, 0, "0", "/"), ("4000:4001", 4000, 4001, "4001", "/"), ("app", 1234, 1235, "1235 50", "/home/app"),
    ("1234", 1234, 1235, "1235 50", "/home/app"), ("app:staff", 1234, 50, "50", "/home/app"), ("root", 0, 0, "0", "/root")])
def test_an_image_runs_as_its_user(server, load, user, uid, gid, groups, home):
    load(Cmd=["sh", "-c", "id -u; id -g; id -G; echo $HOME"], User=user)
    assert said_by(server, bare_pod("user")) == f"{uid}\n{gid}\n{groups} {DEFAULT_GROUP}\n{home}\n"
    context = {"runAsUser": 1234, "runAsGroup": 77}
    assert said_by(server, bare_pod("pods", securityContext=context)) == f"1234\n77\n77 50 {DEFAULT_GROUP}\n/home/app\n"


@needs_root
def test_who_must_not_be_root_is_judged_by_the_images_user(server, load):
    load(Cmd=["id", "-u"], User="app")
    assert said_by(server, bare_pod("app", securityContext={"runAsNonRoot": True})) == "1234\n"
    load(Cmd=["id", "-u"], User="root")
    server.create(bare_pod("root", securityContext={"runAsNonRoot": True}))
    assert "image will run as root" in wait_for_reason(server, "root", "CreateContainerConfigError")


def test_a_user_that_the_image_does_not_know_is_told(server, load):
    load(Cmd=["id", "-u"], User="nobody-here")
    server.create(bare_pod("lost"))
    said = wait_for_reason(server, "lost", "CreateContainerConfigError")
    assert 'the image runs as "nobody-here", but its /etc/passwd has no user "nobody-here"' in said
    # Another image by that name is all that it takes.
    load(Cmd=["echo", "better"])
    server.wait_phase("lost", "Succeeded", "pod")
    assert server.kubectl("logs", "lost") == "better\n"


@pytest.fixture
def user_server(image_tools, user):
    yield from run_server(UserServer, user)


def test_an_ordinary_user_is_root_in_images_and_nobody_else(user_server, layer):
    server, file = user_server, user_server.folder / "box.tar"

    def load(wanted):
        save_image(file, layer, {"Cmd": ["sh", "-c", "echo here"], "User": wanted, "WorkingDir": "/new/one"}).chmod(0o644)
        said = server.cli("image", "load", file)
        assert said.code == 0, repr(said)
    load("root")
    assert said_by(server, bare_pod("root")) == "here\n"
    load("app")
    server.create(bare_pod("app"))
    wait_for("the refusal", lambda: (server.get("pod", "app")["status"].get("phase")) == "Failed")
    assert "cannot run as user 1234, group 1235" in json.dumps(server.get("pod", "app")["status"])
    (told,) = [told for reason, told in server.events("app") if reason == "NotGiven"]
    assert 'its image wants to run as user "app", which needs a server that runs as root' in told, told
    itself = server.user.pw_uid
    assert f"runAsUser: {itself}" in told
    assert said_by(server, bare_pod("itself", securityContext={"runAsUser": itself})) == "here\n"


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
