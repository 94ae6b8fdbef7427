"""A job that grows and shrinks while it trains, with the real torchrun."""

import pytest
from harness import wait_for
from jobs import job, replicas, with_volume

pytestmark = pytest.mark.usefixtures("torch")

# Says how many there are whenever torchrun has brought them together anew.
MEET = """
import time
import torch.distributed as dist
dist.init_process_group("gloo")
print(f"rank {dist.get_rank()} of {dist.get_world_size()}", flush=True)
time.sleep(600)
"""


def elastic_job(name):
    made = job(name, replicas("", "node", 1), torchrunConfig={
        "enabled": True, "maxRestarts": 10, "procPerNode": "1", "extraOptions": ["--monitor_interval=1"]},
        elastic={"enabled": True, "minReplicas": 1, "maxReplicas": 2, "expectedReplicas": 1})
    container = made["spec"]["replicaSpecs"][0]["template"]["spec"]["containers"][0]
    del container["command"]
    container["args"] = ["/volume/meet.py"]
    return with_volume(made, "scripts")


def test_replicas_join_and_leave_a_job_that_runs(server):
    folder = server.folder / "scripts"
    folder.mkdir()
    (folder / "meet.py").write_text(MEET)
    assert server.cli("data", "create", "scripts", "--path", folder).code == 0
    server.create(elastic_job("breathes"))

    def said(text):
        return text in server.cli("logs", "breathes").out
    wait_for("the first to be alone", lambda: said("rank 0 of 1"), 90)  # torchrun waits 30 s for more
    [first] = server.pods("breathes")

    assert server.cli("scale", "breathes", "2").code == 0
    wait_for("two to meet", lambda: said("rank 0 of 2") and said("rank 1 of 2"), 90)
    grown = {pod["metadata"]["name"]: pod["metadata"]["uid"] for pod in server.pods("breathes")}
    assert len(grown) == 2 and grown[first["metadata"]["name"]] == first["metadata"]["uid"], "the first was not replaced"

    assert server.cli("scale", "breathes", "1").out == "job breathes is to have 1 replica\n"
    wait_for("the second to go", lambda: [pod["metadata"]["name"] for pod in server.pods("breathes")]
             == [first["metadata"]["name"]], 60)
    now = server.get("pj", "breathes")["status"]
    assert (now["phase"], now["backoffCount"]) == ("Running", 0), "who left by request has not failed"
