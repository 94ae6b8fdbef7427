"""A new version takes over what an older one has started."""

import pytest
from harness import TRAINYARD, wait_for
from jobs import WAIT, gated, job, replicas, shell_job
from processes import is_alive
from wire import Wire

OLDER_SHIM = TRAINYARD.parent / "src/shim/trainyard-shim-older"


def pid_files(server):
    return [path.read_text().split() for path in (server.data / "pods").glob("*/containers/*/*/pid")]


@pytest.fixture
def older(server, gate):
    """A server whose pods are started as an older version did, by a shim of protocol 1."""
    if not OLDER_SHIM.exists():
        pytest.skip(f"{OLDER_SHIM} is missing: make build")
    server.cli("down", "--all")
    server.shim = server.data / "bin" / "shim-0000000000000001"
    server.shim.write_bytes(OLDER_SHIM.read_bytes())
    server.shim.chmod(0o700)
    server.env["TRAINYARD_SHIM"] = str(server.shim)
    server.up()
    return server


def upgrade(server):
    """The new version brings its own shim; the old one's file may be gone."""
    server.cli("down")
    server.shim.unlink()
    del server.env["TRAINYARD_SHIM"]
    server.up()


def test_running_jobs_run_on_and_are_served(older, gate):
    script = f"echo begun; n=0; ({WAIT}); echo ended"
    older.create(gated(job("steady", replicas(script, count=2))))
    older.wait_phase("steady", "Running")
    wait_for("both to begin", lambda: older.cli("logs", "steady").out.count("begun") == 2)
    before = pid_files(older)
    assert before and all(len(words) == 3 for words in before), "protocol 1 does not say what it is"
    upgrade(older)
    assert sorted(pid_files(older)) == sorted(before) and all(is_alive(int(words[0])) for words in before)
    pod = older.pods("steady")[0]["metadata"]["name"]
    assert older.kubectl("exec", pod, "--", "echo", "still here") == "still here\n"
    older.create(shell_job("newer", "echo mine; sleep 600"))
    older.wait_phase("newer", "Running")
    assert any(len(words) == 4 and words[3] == "2" for words in pid_files(older)), "new pods get the new shim"
    gate.open()
    older.wait_phase("steady", "Succeeded")
    log = older.cli("logs", "steady").out
    assert log.count("begun") == 2 and log.count("ended") == 2, log
    assert all(status["restartCount"] == 0 for pod in older.pods("steady")
               for status in pod["status"]["containerStatuses"])


def test_what_ended_while_no_server_ran_is_known_to_the_next_version(older, gate):
    older.create(gated(shell_job("alone", f"{WAIT}; echo done; exit 3", restart="Never")))
    older.wait_phase("alone", "Running")
    (shim,) = [int(words[0]) for words in pid_files(older)]
    older.cli("down")
    gate.open()
    wait_for("its end", lambda: not is_alive(shim))
    older.shim.unlink()
    del older.env["TRAINYARD_SHIM"]
    older.up()
    older.wait_phase("alone", "Failed")
    assert "done" in older.cli("logs", "alone").out


def test_downgrade_says_which_version_can_run_commands(server):
    server.create(shell_job("future", "sleep 600"))
    server.wait_phase("future", "Running")
    (file,) = (server.data / "pods").glob("*/containers/*/*/pid")
    file.write_text(file.read_text().replace(" 2\n", " 99\n"))
    pod = server.pods("future")[0]["metadata"]["name"]
    # kubectl would try another protocol then, and say what is wrong with that.
    said = Wire(server).get(f"/api/v1/namespaces/default/pods/{pod}/exec", {"command": "true", "stdout": "true"},
                            Connection="Upgrade", Upgrade="websocket", Sec_WebSocket_Version="13",
                            Sec_WebSocket_Key="dGhlIHNhbXBsZSBub25jZQ==", Sec_WebSocket_Protocol="v5.channel.k8s.io")
    assert said.code == 400 and "newer version" in said.message, repr(said)
    assert server.cli("delete", "future").code == 0
    wait_for("its pod to go all the same", lambda: server.pods("future") == [])
