"""Volumes of the platform's can be written by whomever pods run as; folders of others' are left as they are."""

import os

import pytest
from harness import wait_for
from jobs import mounting, pod, shell_job, with_volume
from objects import make, namespace
from test_volumes import bound, claim

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only a server that is root runs pods as others")

USER = 54321


def as_user(made, user=USER, **more):
    made["spec"]["securityContext"] = {"runAsUser": user, "runAsGroup": user, **more}
    return made


def run(server, name, script, volume, user=None, ns="default", **more):
    """The log of a pod with the volume at /volume, which must succeed."""
    made = with_volume(pod(name, script), volume)
    if user:
        as_user(made, user, **more)
    make(server, made, "-n", ns)
    phase = lambda: server.kubectl("get", "pod", name, "-n", ns, "-o", "jsonpath={.status.phase}")  # noqa: E731
    wait_for(f"{name} to end", lambda: phase() in ("Succeeded", "Failed"))
    log = server.kubectl("logs", name, "-n", ns)
    assert phase() == "Succeeded", log
    return log


def both_ways(server, volume, ns="default"):
    """What root makes with the usual umask is written by a user, and back, in folders that they make as well."""
    run(server, f"{volume}-root", "umask 022; echo a > /volume/r; mkdir -p /volume/rd/deep; echo a > /volume/rd/deep/f", volume, ns=ns)
    said = run(server, f"{volume}-user", "umask 022; exec 2>&1; echo b >> /volume/r && echo b >> /volume/rd/deep/f && echo b > /volume/rd/deep/u && "
               "mkdir /volume/ud && echo b > /volume/ud/f && mv /volume/rd/deep/u /volume/moved", volume, USER, ns)
    assert said == ""
    run(server, f"{volume}-back", "echo c >> /volume/ud/f && echo c >> /volume/moved", volume, ns=ns)
    said = run(server, f"{volume}-other", "echo d >> /volume/ud/f && cat /volume/r /volume/rd/deep/f /volume/ud/f", volume, USER + 1, ns)
    assert said == "a\nb\na\nb\nb\nc\nd\n"


def test_root_and_users_share_a_fresh_claim(shared_server):
    shared_server.create(claim("fresh"))
    bound(shared_server, "fresh")
    both_ways(shared_server, "fresh")


def test_and_what_data_create_has_made(shared_server):
    assert shared_server.cli("data", "create", "made").code == 0
    both_ways(shared_server, "made")


def test_and_files_that_are_uploaded(shared_server):
    assert shared_server.cli("data", "create", "filled").code == 0
    file = shared_server.folder / "up"
    file.write_text("up\n")
    assert shared_server.cli("data", "cp", file, "filled:in/up").code == 0
    script = "echo more >> /volume/in/up; echo x > /volume/in/new; cat /volume/in/up"
    assert run(shared_server, "uploaded", script, "filled", USER) == "up\nmore\n"


def test_the_group_is_the_namespaces_own(shared_server):
    shared_server.create(claim("mine"))
    bound(shared_server, "mine")
    shared_server.create(namespace("theirs"))
    make(shared_server, claim("mine"), "-n", "theirs")
    ours = set(run(shared_server, "ours", "id -G", "mine", USER).split()) - {str(USER)}
    others = set(run(shared_server, "others", "id -G", "mine", USER, "theirs").split()) - {str(USER)}
    assert len(ours) == len(others) == 1 and ours != others
    # Who asks for it does not get it.
    [group] = ours
    for name, context in [("supplemental", {"supplementalGroups": [int(group)]}), ("fs", {"fsGroup": int(group)})]:
        made = as_user(pod(name, "id -G"), **context)
        make(shared_server, made, "-n", "theirs")
        wait_for("the refusal", lambda: f"group {group} cannot be asked for" in shared_server.kubectl(
            "get", "events", "-n", "theirs", "--field-selector", f"involvedObject.name={name}"))  # noqa: B023
        shared_server.kubectl("delete", "pod", name, "-n", "theirs")
    shared_server.kubectl("delete", "namespace", "theirs", "--timeout=40s")
    wait_for("nothing of its volumes", lambda: not (shared_server.data / "volumes/theirs").exists())


def test_an_fs_group_is_given_a_folder_of_ours_and_no_other(shared_server):
    shared_server.create(claim("grouped"))
    bound(shared_server, "grouped")
    script = "echo x > /volume/f; stat -c %g /volume /volume/f"
    assert run(shared_server, "fs-ours", script, "grouped", USER, fsGroup=54324) == "54324\n54324\n"
    run(shared_server, "fs-other", "echo y >> /volume/f", "grouped", USER + 1)
    folder = shared_server.folder / "of-others"
    folder.mkdir(mode=0o755)
    before = folder.stat()
    assert shared_server.cli("data", "create", "of-others", "--path", folder).code == 0
    shared_server.create(as_user(with_volume(pod("fs-theirs", "echo x > /volume/f"), "of-others"), fsGroup=54324))
    shared_server.wait_phase("fs-theirs", "Failed", "pod")
    made = as_user(mounting(pod("fs-host", "echo x > /v/f"), {"hostPath": {"path": str(folder)}}), fsGroup=54324)
    shared_server.create(made)
    shared_server.wait_phase("fs-host", "Failed", "pod")
    after = folder.stat()
    assert (after.st_uid, after.st_gid, after.st_mode) == (before.st_uid, before.st_gid, before.st_mode)
    assert not os.listxattr(folder)


def test_who_is_kept_from_a_folder_is_told_whose_it_is(shared_server):
    folder = shared_server.folder / "closed"
    folder.mkdir(mode=0o755)
    os.chown(folder, 12345, 12345)
    assert shared_server.cli("data", "create", "closed", "--path", folder).code == 0
    script = "python3 -c \"open('/volume/model.pt', 'w')\""
    shared_server.create(as_user(with_volume(pod("denied", script), "closed")))
    shared_server.wait_phase("denied", "Failed", "pod")
    told = shared_server.get("pod", "denied")["status"]["containerStatuses"][0]["state"]["terminated"]["message"]
    for words in [str(folder), "/volume belongs to user 12345", f"ran as user {USER}", "runAsUser: 12345", "setfacl"]:
        assert words in told, told
    made = with_volume(shell_job("denied", script, restart="Never"), "closed")
    made["spec"]["replicaSpecs"][0]["template"]["spec"]["securityContext"] = {"runAsUser": USER}
    shared_server.create(made)
    failed = shared_server.wait_phase("denied", "Failed")
    cause = str(failed["status"])
    assert "Permission denied: '/volume/model.pt'" in cause and "belongs to user 12345" in cause, cause
    # As it says.
    shared_server.create(as_user(with_volume(pod("owner", script), "closed"), 12345))
    shared_server.wait_phase("owner", "Succeeded", "pod")
