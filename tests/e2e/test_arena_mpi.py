"""arena submit mpi, run for real: mpirun in a launcher that comes on top of the workers, and what Arena's commands show of it."""

import pytest
from arena import arena, shown
from harness import wait_for
from mpi import hello, ranks_in  # noqa: F401 (a fixture)

KIND = "mpijobs.kubeflow.org"


@pytest.fixture
def server(shared_server):
    return shared_server


def submit(server, name, *words):
    made = arena(server, "submit", "mpi", f"--name={name}", "--image=i", *words)
    assert made.code == 0, repr(made)
    return made


def status_of(server, name):
    """As `arena list` has it."""
    rows = [line.split() for line in shown(server, "list").splitlines()[1:]]
    return next((row[1] for row in rows if row[0] == name), None)


def wait_status(server, name, wanted):
    def reached():
        now = status_of(server, name)
        assert now == wanted or now not in ("SUCCEEDED", "FAILED"), (now, server.get(KIND, name)["status"])
        return now == wanted
    wait_for(f"{name} to be {wanted}", reached, 40)


def test_submitted_followed_and_deleted(server, hello, tmp_path):  # noqa: F811
    code = tmp_path / "code"
    code.mkdir()
    (code / "word.txt").write_text("uploaded\n")
    made = submit(server, "ring", "--workers=2", "--sync-mode=upload", f"--sync-source={code}",
                  f"cat code/code/word.txt; mpirun -n 2 {hello}; sleep 600")
    assert made.out.splitlines() == ["configmap/ring-mpijob created", "configmap/ring-mpijob labeled",
                                     "mpijob.kubeflow.org/ring created"], repr(made)
    assert "You can run `arena get ring --type mpijob`" in made.err, repr(made)
    wait_status(server, "ring", "RUNNING")
    got = shown(server, "get", "ring", "-T", "mpi")
    for instance in ["ring-launcher", "ring-worker-0", "ring-worker-1"]:
        assert instance in got, got
    assert "MPIJOB" in got, got
    wait_for("the ranks", lambda: len(ranks_in(shown(server, "logs", "ring"))) == 2)
    said = shown(server, "logs", "ring")
    assert said.startswith("uploaded\n"), said
    assert [line.split(" in ")[0] for line in ranks_in(said)] == [
        "rank 0 of 2 on ring-worker-0", "rank 1 of 2 on ring-worker-1"], said
    attached = arena(server, "attach", "ring", input="mpirun hostname; exit 3\n")
    assert attached.code == 3 and "ring-worker-1" in attached.out, repr(attached)
    assert "of instance ring-launcher\n" in attached.err, repr(attached)
    gone = arena(server, "delete", "ring")
    assert gone.code == 0 and 'mpijob.kubeflow.org "ring" deleted' in gone.out, repr(gone)
    for kind in ["pods", "services", "secrets", "configmaps"]:
        wait_for(f"{kind} to go", lambda kind=kind: not [one for one in server.list(kind)
                                                         if one["metadata"]["name"].startswith("ring")])


def test_ends_with_its_launcher_and_takes_the_workers_along(server, hello):  # noqa: F811
    submit(server, "good", "--workers=2", "mpirun hostname")
    submit(server, "wrong", "--workers=1", "echo no data >&2; exit 4")
    wait_status(server, "good", "SUCCEEDED")
    assert {"good-worker-0", "good-worker-1"} <= set(shown(server, "logs", "good").split())
    wait_status(server, "wrong", "FAILED")
    assert server.get("pod", "wrong-launcher")["metadata"]["annotations"]["trainyard.dev/restarts"] == "0", "no retry"
    assert "no data" in shown(server, "logs", "wrong")
    for name in ["good", "wrong"]:
        wait_for("the workers to go", lambda name=name: server.get("pod", f"{name}-worker-0") is None)
        assert arena(server, "delete", name).code == 0


def test_gpus_are_the_workers_slots(server, hello):  # noqa: F811
    dry = shown(server, "submit", "mpi", "--name=slots", "--image=i", "--workers=2", "--gpus=2", "--dry-run", "true")
    assert "slotsPerWorker: 2" in dry, dry
