"""J2 of spec/t9k-jobs.md, section 14: the tutorial's parameter server with four workers."""

import re
from collections import Counter
from types import SimpleNamespace

import pytest
from jobs import conditions, h5
from journeys import FILES, TAGS, curves, environment, files, job_of, prepare, progress, replica
from servers import run_server

pytestmark = pytest.mark.usefixtures("torch")
NAME = "torch-mnist-trainingjob-ps"
WORKERS = [f"worker-{index}" for index in range(4)]


@pytest.fixture(scope="module")
def journey(torch):
    """The journey once, with what was seen on the way."""
    for server in run_server():
        prepare(server, "ps")
        seen = SimpleNamespace(server=server)
        server.kubectl("create", "-f", FILES / "ps/job_cpu.yaml")
        server.wait_phase(NAME, "Running")
        seen.running = job_of(server, NAME)
        seen.pods = {replica(pod): pod for pod in server.pods(NAME)}
        seen.listed = server.cli("list", "-o", "wide").out
        seen.done = server.wait_phase(NAME, "Succeeded", timeout=180)
        # Workers that had not quite ended when the server did are cleaned up; their logs are kept.
        seen.logs = {name: server.cli("logs", NAME, "-i", name).out for name in ["ps-0", *WORKERS]}
        yield seen


def test_five_pods_with_their_names_labels_and_ranks(journey):
    suffix = h5(NAME, journey.running["metadata"]["uid"])
    assert sorted(journey.pods) == ["ps-0", *WORKERS]
    for rank, name in enumerate(["ps-0", *WORKERS]):
        pod = journey.pods[name]
        assert pod["metadata"]["name"] == f"{NAME}-{suffix}-{name}"
        assert pod["metadata"]["labels"].get("job-role") == ("master" if name == "ps-0" else None)
        given = environment(pod)
        assert (given["RANK"], given["WORLD_SIZE"]) == (str(rank), "5")
    places = {(environment(pod)["MASTER_ADDR"], environment(pod)["MASTER_PORT"]) for pod in journey.pods.values()}
    assert len(places) == 1, "all meet at one place"


def test_list_shows_what_all_ask_for_together(journey):
    [row] = [line for line in journey.listed.splitlines() if line.startswith(NAME)]
    assert "ps: 1/1, worker: 4/4" in row and "16 / 32" in row and "12Gi / 24Gi" in row, row
    amounts = {name: pod["spec"]["containers"][0]["resources"]["requests"] for name, pod in journey.pods.items()}
    assert amounts["ps-0"] == {"cpu": "8", "memory": "4Gi"} and amounts["worker-3"] == {"cpu": "2", "memory": "2Gi"}


def test_logs_of_the_server_and_its_workers(journey):
    assert sorted(re.findall(r"^Worker with rank (\d) is placed on cpu$", journey.logs["ps-0"], re.M)) == list("1234")
    assert journey.logs["ps-0"].startswith("Server initializing RPC\n") and "RPC shut down" in journey.logs["ps-0"]
    for index, name in enumerate(WORKERS):
        log = journey.logs[name]
        assert log.startswith(f"Worker with rank {index + 1} initializing RPC\n"), log
        batches, validations = progress(log)
        wanted = [(str(epoch), batch) for epoch in range(1, 6) for batch in ["  500/1500", " 1000/1500", " 1500/1500"]]
        assert batches == wanted, log
        assert validations == list("12345"), log
        accuracy = re.search(r"^test loss: \d+\.\d{4}, test accuracy: (\d\.\d{4})$", log, re.M)
        assert float(accuracy[1]) > 0.5, log


def test_merged_log_tags_each_line(journey):
    merged = journey.server.cli("logs", NAME).out.splitlines()
    tags = Counter(re.match(r"\[(ps-0|worker-\d)\] ", line)[1] for line in merged)
    assert sorted(tags) == ["ps-0", *WORKERS]
    assert all(tags[name] == len(journey.logs[name].splitlines()) for name in tags), tags
    joined, trained = (next(i for i, line in enumerate(merged) if words in line)
                       for words in ["is placed on cpu", "epoch 5/5, batch  1500/1500"])
    assert joined < trained, "in the order of time"


def test_succeeds_with_the_server_and_leaves_nothing_unfinished(journey):
    status = journey.done["status"]
    assert conditions(journey.done)["Completed"][:2] == ("True", "Succeeded")
    assert [task["type"] for task in status["tasks"]] == ["ps", "worker"]
    left = journey.server.pods(NAME)
    assert all(pod["status"]["phase"] == "Succeeded" or pod["metadata"].get("deletionTimestamp") for pod in left)
    assert "ps-0" in {replica(pod) for pod in left}, "what has finished is kept"


def test_leaves_four_models_and_a_run_for_each_worker(journey):
    there = files(journey.server, "ps")
    assert {f"model_state_dict.pt.{rank}" for rank in range(1, 5)} <= there
    runs = {f"worker_{rank}" for rank in range(1, 5)}
    assert files(journey.server, "ps/log") == runs
    assert {run: set(tags) for run, tags in curves(journey.server, journey.running, runs).items()} == dict.fromkeys(runs, TAGS)
