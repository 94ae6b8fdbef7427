"""GenericJob, TensorFlowTrainingJob and XGBoostTrainingJob, each once (spec/t9k-jobs.md, 4 to 6)."""

import json

import pytest
from harness import wait_for
from jobs import conditions, pod_spec

API = "batch.tensorstack.dev/v1beta1"


@pytest.fixture
def server(shared_server):
    return shared_server


def made(kind, name, *groups, **spec):
    return {"apiVersion": API, "kind": kind, "metadata": {"name": name},
            "spec": {"replicaSpecs": list(groups), **spec}}


def group(type, script, container="main", count=1, **more):
    spec = pod_spec(script)
    spec["containers"][0]["name"] = container
    spec["terminationGracePeriodSeconds"] = 1
    return {"type": type, "replicas": count, "template": {"spec": spec}, **more}


def log_of(server, job, type, index=0):
    return server.kubectl("logs", "-l", f"tensorstack.dev/owner-name={job},replica-type={type},replica-index={index}")


def test_generic_job_ends_by_its_rules_and_finds_its_services(server):
    client = "echo $(type) $(rank) of $(replicas[client]) at $(service.server[0].host):$(service.port[rpc])"
    server.create(made("GenericJob", "pair", group("server", "exec sleep 600"),
                       group("client", f"{client}; until getent hosts $(service.server[0].host); do sleep 0.05; done > /dev/null; echo found",
                             count=2),
                       successRules=[{"client": [0, 1]}], failureRules=[{"server": [0]}],
                       cleanUpPolicy="Unfinished", service={"ports": [{"name": "rpc", "port": 7123}]}))
    done = server.wait_phase("pair", "Succeeded", "gj")
    assert "backoffCount" not in done["status"]
    assert log_of(server, "pair", "client", 1) == "client 1 of 2 at pair-server-0:7123\nfound\n"
    assert [service["metadata"]["name"] for service in server.list(
        "services", "-l", "tensorstack.dev/owner-name=pair") if service["metadata"]["name"] == "pair-client-1"]
    wait_for("the server to go", lambda: len(server.pods("pair")) == 2)
    assert server.kubectl("get", "gj", "pair", "-o", "wide", "--no-headers").split()[1] == "Succeeded"


def test_generic_job_fails_by_its_rule(server):
    server.create(made("GenericJob", "doomed", group("a", "exit 4"), group("b", "exec sleep 600"),
                       failureRules=[{"a": ["0"]}], cleanUpPolicy="All"))
    done = server.wait_phase("doomed", "Failed", "gj")
    told = conditions(done)["Failed"][2]
    assert told.startswith('The job is failed with rule: {"a":["0"]}: Pod[doomed-'), told
    assert "exited with error code 4" in told


def test_tensorflow_job_tells_its_cluster(server):
    server.create(made("TensorFlowTrainingJob", "tf", group("worker", "exec sleep 600", "tensorflow", 2),
                       group("chief", 'echo "$TF_CONFIG"', "tensorflow"), runPolicy={"cleanUpPolicy": "Unfinished"}))
    server.wait_phase("tf", "Succeeded", "tj")
    config = json.loads(log_of(server, "tf", "chief"))
    assert config["task"] == {"type": "chief", "index": 0}
    assert {type: len(hosts) for type, hosts in config["cluster"].items()} == {"chief": 1, "worker": 2}
    ports = [host.split(":")[1] for hosts in config["cluster"].values() for host in hosts]
    assert len(set(ports)) == 3, "they share the machine's network"
    wait_for("the workers to go", lambda: len(server.pods("tf")) == 1)


def test_xgboost_job_ends_with_its_master(server):
    echo = "echo $RANK of $WORLD_SIZE at $MASTER_ADDR"
    server.create(made("XGBoostTrainingJob", "trees", group("worker", f"{echo}; exec sleep 600", "xgboost", 2),
                       group("master", echo, "xgboost"), runPolicy={"cleanUpPolicy": "All"}))
    server.wait_phase("trees", "Succeeded", "xj")
    wait_for("all pods to go", lambda: server.pods("trees") == [])
    assert server.get("xj", "trees")["status"]["aggregate"]["deleted"] == 3
