"""What images mean on a machine that runs processes: maps to environments, the host, and strictness."""

import json
import os
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from harness import wait_for
from jobs import mounting, pod
from people import user


def environment(server, name, **programs):
    """A folder that looks like a virtual environment, with shell scripts as its programs."""
    folder = server.folder / name
    (folder / "bin").mkdir(parents=True)
    for program, script in programs.items():
        (folder / "bin" / program).write_text(f"#!/bin/sh\n{script}\n")
        (folder / "bin" / program).chmod(0o755)
    return folder


def output(server, name, script, image, **container):
    server.create(pod(name, script, image=image, **container))
    server.wait_phase(name, "Succeeded", "pod")
    return server.kubectl("logs", name)


def test_a_mapped_image_runs_in_its_environment(shared_server):
    folder = environment(shared_server, "venv", python="echo python of the venv")
    done = shared_server.cli("image", "map", "t9k/torch-*", "--venv", folder, "--env", "SEED=7", "--env", "MODE=map")
    assert done.code == 0, repr(done)
    said = output(shared_server, "mapped", "python; echo $VIRTUAL_ENV $SEED $MODE", "t9k/torch-2:v1",
                  env=[{"name": "MODE", "value": "pod"}])
    assert said == f"python of the venv\n{folder} 7 pod\n", "the pod's own variables count more"
    assert any(str(folder) in message for _, message in shared_server.events("mapped"))


def test_the_last_map_wins_and_can_be_taken_back(shared_server):
    first = environment(shared_server, "first", which_one="echo first")
    second = environment(shared_server, "second", which_one="echo second")
    shared_server.cli("image", "map", "wins*", "--venv", first)
    shared_server.cli("image", "map", "wins/*", "--conda", second)
    assert output(shared_server, "last", "which_one; echo $CONDA_PREFIX", "wins/it:v1") == f"second\n{second}\n"
    maps = json.loads(shared_server.cli("image", "list", "-o", "json").out)
    assert [m["pattern"] for m in maps if m["pattern"].startswith("wins")] == ["wins*", "wins/*"]
    assert shared_server.cli("image", "rm", "wins/*").code == 0
    assert output(shared_server, "earlier", "which_one", "wins/it:v1") == "first\n"
    assert "not mapped" in shared_server.cli("image", "rm", "wins/*").err


def test_the_root_of_a_mapped_image(shared_server):
    """The folder has nothing but its own files and what is mounted in it; the host's /usr spares a copy of a system."""
    tree = shared_server.folder / "tree"
    (tree / "usr/bin").mkdir(parents=True)
    (tree / "etc").mkdir()
    (tree / "etc/os-release").write_text("another\n")
    for name in ["bin", "lib", "lib64"]:
        (tree / name).symlink_to(f"usr/{name}")
    done = shared_server.cli("image", "map", "rooted:*", "--rootfs", tree, "--env", "FROM=map")
    assert done.code == 0, repr(done)
    script = f"cat /etc/os-release; echo $FROM $HOME $PATH; echo mine > /etc/os-release; ls -d /home {shared_server.data} 2>/dev/null; " \
             "hostname; grep -c rooted /etc/hosts; echo > /dev/null; cat /var/run/secrets/kubernetes.io/serviceaccount/namespace"
    made = mounting(pod("rooted", script, image="rooted:v1"), {"hostPath": {"path": "/usr"}}, "/usr", readOnly=True)
    shared_server.create(made)
    shared_server.wait_phase("rooted", "Succeeded", "pod")
    path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    said = shared_server.kubectl("logs", "rooted").split("\n")
    assert said[0] == "another" and said[1].startswith(f"map / {path}") and said[2:] == ["rooted", "1", "default"], said
    assert (tree / "etc/os-release").read_text() == "another\n", "the layer is the container's own"
    assert not (tree / "dev").exists()


def test_no_root_shows_the_servers_own_files(shared_server):
    (shared_server.folder / "bin").mkdir()
    assert shared_server.cli("image", "map", "nosy", "--rootfs", shared_server.folder).code == 0
    shared_server.create(pod("nosy", "cat /data/pki/admin.token", image="nosy"))
    wait_for("the refusal", lambda: "in which the server's data folder lies" in json.dumps(shared_server.get("pod", "nosy")["status"]))


def test_what_cannot_be_mapped(shared_server):
    missing = shared_server.cli("image", "map", "x", "--venv", shared_server.folder / "nowhere")
    assert missing.code == 1 and "no folder bin" in missing.err, repr(missing)
    assert "--venv DIR, --conda DIR, --rootfs DIR or --host" in shared_server.cli("image", "map", "x").err
    assert "NAME=VALUE" in shared_server.cli("image", "map", "x", "--host", "--env", "novalue").err


def test_an_environment_that_is_gone_is_waited_for(shared_server):
    folder = environment(shared_server, "comes-and-goes", tool="echo works")
    shared_server.cli("image", "map", "moody", "--venv", folder)
    folder.rename(folder.with_name("away"))
    shared_server.create(pod("moody", "tool", image="moody:v1"))
    wait_for("the reason", lambda: f"mapped to the venv {folder}, which is not there" in json.dumps(shared_server.get("pod", "moody")["status"]))
    folder.with_name("away").rename(folder)
    shared_server.wait_phase("moody", "Succeeded", "pod")
    assert shared_server.kubectl("logs", "moody") == "works\n"


def test_maps_made_at_the_same_time_are_all_kept(shared_server):
    with ThreadPoolExecutor(4) as people:
        done = list(people.map(lambda i: shared_server.cli("image", "map", f"at-once-{i}", "--host"), range(4)))
    assert [result.code for result in done] == [0] * 4, done
    maps = json.loads(shared_server.cli("image", "list", "-o", "json").out)
    assert {f"at-once-{i}" for i in range(4)} <= {m["pattern"] for m in maps}


def test_only_those_who_run_the_machine_may_map(shared_server):
    user(shared_server, "mapper", "admin", "default")
    refused = shared_server.cli("--kubeconfig", shared_server.folder / "mapper.added", "image", "map", "x", "--host")
    assert refused.code == 1 and "forbidden" in refused.err, repr(refused)


def test_an_unknown_image_is_the_host_and_says_so(shared_server):
    output(shared_server, "unknown", "true", "nobody/knows:v9")
    assert any(reason == "Pulled" and "host's environment" in message
               for reason, message in shared_server.events("unknown"))


def test_python_is_found_where_only_python3_is(server):
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:  # a pod's /tmp is its own
        for name in ["sh", "env"]:
            os.symlink(f"/bin/{name}", f"{folder}/{name}")
        python = Path(folder, "python3")
        python.write_text('#!/bin/sh\necho "python3 $*"\n')
        python.chmod(0o755)
        server.kill()
        server.env["PATH"] = folder
        server.up()
        said = output(server, "three", "python a.py; torchrun b.py", "host")
    assert said == "python3 a.py\npython3 -m torch.distributed.run b.py\n"


def test_strict_images(server):
    server.kill()
    server.up("--strict-images")
    server.create(pod("strict", "echo ran", image="some/image:v1"))
    reason = lambda: server.get("pod", "strict")["status"].get(  # noqa: E731
        "containerStatuses", [{}])[0].get("state", {}).get("waiting", {}).get("reason")
    wait_for("ErrImagePull", lambda: reason() in ["ErrImagePull", "ImagePullBackOff"])
    wait_for("ImagePullBackOff", lambda: reason() == "ImagePullBackOff")
    assert any('Failed to pull image "some/image:v1"' in message for _, message in server.events("strict"))
    assert server.cli("image", "map", "some/*", "--host").code == 0
    server.wait_phase("strict", "Succeeded", "pod")
