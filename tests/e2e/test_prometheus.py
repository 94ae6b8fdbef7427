"""/metrics as Prometheus reads it: read by its own client's parser, and only by whom a role allows."""

import http.client
import json
import re
import ssl

import pytest
from harness import wait_for
from jobs import EXAMPLES, shell_job
from prometheus_client.parser import text_string_to_metric_families

EXAMPLE = EXAMPLES / "monitoring"
CONVENTIONS = ("_total", "_bytes", "_seconds", "_celsius", "_watts", "_cycle", "_fds", "_threads")


def scrape(server, token):
    context = ssl.create_default_context(cafile=str(server.data / "pki/ca.crt"))
    connection = http.client.HTTPSConnection(server.listen, context=context, timeout=10)
    connection.request("GET", "/metrics", headers={"Authorization": f"Bearer {token}"} if token else {})
    answer = connection.getresponse()
    return answer.status, answer.getheader("Content-Type"), answer.read().decode()


def families(server):
    status, kind, text = scrape(server, server.token())
    assert status == 200, text
    assert kind == "text/plain; version=0.0.4; charset=utf-8"
    found = list(text_string_to_metric_families(text))
    names = [family.name for family in found]
    assert len(names) == len(set(names)), "each family once"
    return {family.name: family for family in found}


def samples(family, **labels):
    return [sample for sample in family.samples
            if all(sample.labels.get(name) == value for name, value in labels.items())]


def test_the_control_plane_tells_of_itself(shared_server):
    server = shared_server
    server.kubectl("get", "pods")
    found = families(server)
    for name, kind in {"apiserver_request": "counter", "apiserver_request_duration_seconds": "histogram",
                       "workqueue_depth": "gauge",
                       "workqueue_adds": "counter", "process_cpu_seconds": "counter",
                       "process_resident_memory_bytes": "gauge", "process_open_fds": "gauge",
                       "process_start_time_seconds": "gauge", "apiserver_storage_objects": "gauge",
                       "apiserver_storage_size_bytes": "gauge", "trainyard_store_commits": "counter",
                       "scheduler_pending_pods": "gauge"}.items():
        assert found[name].type == kind and found[name].documentation, name
        assert found[name].samples, name
    lists = samples(found["apiserver_request"], verb="LIST", resource="pods", code="200")
    assert lists and sum(sample.value for sample in lists) >= 1
    (size,) = samples(found["apiserver_storage_size_bytes"])
    assert size.value > 4096
    buckets = [sample for sample in found["apiserver_request_duration_seconds"].samples
               if sample.name.endswith("_bucket") and sample.labels["verb"] == "LIST"
               and sample.labels["resource"] == "pods"]
    assert [bucket.value for bucket in buckets[:14]] == sorted(bucket.value for bucket in buckets[:14])


def test_jobs_usage_has_base_units_and_goes_when_they_end(shared_server):
    server = shared_server
    server.create(shell_job("watched", "while [ ! -e /tmp/stop ]; do :; done"))
    server.wait_phase("watched", "Running")
    (pod,) = [each["metadata"]["name"] for each in server.pods("watched")]

    def cpu():
        return [sample.value for sample in samples(
            families(server)["container_cpu_usage_seconds"], namespace="default", pod=pod, container="main",
            job_name="watched", job_kind="PyTorchTrainingJob")]

    wait_for("its CPU time", lambda: cpu() and cpu()[0] > 0.5, 30)
    before = cpu()[0]
    wait_for("more of it", lambda: cpu()[0] > before, 15)
    found = families(server)
    for name in ["container_memory_working_set_bytes", "container_fs_reads_bytes", "container_fs_writes_bytes",
                 "container_network_receive_bytes", "container_network_transmit_bytes", "container_threads"]:
        assert samples(found[name], pod=pod, job_name="watched"), name
    assert samples(found["container_memory_working_set_bytes"], pod=pod)[0].value > 100_000
    for name, family in found.items():
        if name.startswith(("container_", "nvidia_", "process_")) and family.type != "counter":
            assert name.endswith(CONVENTIONS), name
    assert server.cli("delete", "watched").code == 0
    wait_for("it to be gone", lambda: not cpu(), 30)


def test_only_whom_a_role_allows(shared_server):
    server = shared_server
    assert scrape(server, None)[0] == 401
    assert scrape(server, "wrong")[0] == 401
    server.kubectl("create", "serviceaccount", "prometheus")
    token = server.kubectl("create", "token", "prometheus").strip()
    status, _, text = scrape(server, token)
    assert status == 403 and "/metrics" in text, text
    server.kubectl("create", "clusterrole", "scraper", "--verb=get", "--non-resource-url=/metrics")
    server.kubectl("create", "clusterrolebinding", "scraper", "--clusterrole=scraper", "--serviceaccount=default:prometheus")
    wait_for("the role to count", lambda: scrape(server, token)[0] == 200, 10)
    status, _, _ = scrape(server, token)
    assert server.api("/version", token)[0] == 200
    assert server.api("/api/v1/pods", token)[0] == 403, "and no more than that"


def test_the_example_asks_for_what_there_is(shared_server):
    _, _, text = scrape(shared_server, shared_server.token())
    served = set(re.findall(r"^# TYPE (\S+)", text, re.M))
    dashboard = json.loads((EXAMPLE / "grafana-dashboard.json").read_text())
    asked = " ".join(target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", []))
    told = " ".join(re.findall(r"`(\w+_\w+)`", (EXAMPLE / "README.md").read_text()))
    names = set(re.findall(r"\b(?:container|nvidia|apiserver|trainyard|workqueue|scheduler|process)_\w+", f"{asked} {told}"))
    assert len(names) > 15
    assert {name.removesuffix("_bucket") for name in names} <= served
    shared_server.kubectl("apply", "-f", EXAMPLE / "rbac.yaml")
    token = shared_server.kubectl("-n", "monitoring", "create", "token", "prometheus").strip()
    wait_for("the account to be let in", lambda: scrape(shared_server, token)[0] == 200, 10)


@pytest.mark.parametrize("path", ["/apis/made.up/v1/things", "/nowhere/%22%0A"])
def test_what_somebody_makes_up_is_no_label(shared_server, path):
    server = shared_server
    server.api(path, server.token())
    _, _, text = scrape(server, server.token())
    assert "made.up" not in text and "nowhere" not in text
