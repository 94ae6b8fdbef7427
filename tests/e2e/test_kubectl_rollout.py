"""kubectl rollout, scale, expose and wait, with pods that run."""

import json
import re
import threading

import pytest
from harness import wait_for
from jobs import config_map, pod, shell_job
from objects import SLEEP, containers, deployment, labelled, service


@pytest.fixture
def web(shared_server, request):
    """A deployment of the test's own, with one pod that runs."""
    name = "web-" + re.sub(r"[^a-z0-9]+", "-", request.node.name.removeprefix("test_"))[:30].strip("-")
    shared_server.create(deployment(name, replicas=1))
    shared_server.kubectl("rollout", "status", f"deployment/{name}", "--timeout=30s")
    yield name
    shared_server.kubectl("delete", "deployment", name, "--cascade=foreground", "--ignore-not-found",
                          "--timeout=30s")


def replica_sets(server, name):
    return server.list("replicasets", "-l", f"app={name}")


def pods(server, name):
    return [made for made in server.list("pods", "-l", f"app={name}")
            if "deletionTimestamp" not in made["metadata"]]


def set_word(server, name, word):
    server.kubectl("set", "env", f"deployment/{name}", f"WORD={word}")
    return server.kubectl("rollout", "status", f"deployment/{name}", "--timeout=40s")


def word(obj):
    env = obj["spec"]["containers"][0].get("env", [])
    return next((entry["value"] for entry in env if entry["name"] == "WORD"), None)


# ---- rollout -------------------------------------------------------------------------------------


def test_rollout_status_waits_for_the_new_pods(shared_server, web):
    said = set_word(shared_server, web, "new")
    assert said.splitlines()[-1] == f'deployment "{web}" successfully rolled out'
    assert [word(made) for made in pods(shared_server, web)] == ["new"]
    status = shared_server.get("deployment", web)["status"]
    assert (status["replicas"], status["updatedReplicas"], status["availableReplicas"]) == (1, 1, 1)
    assert len(replica_sets(shared_server, web)) == 2
    assert {made["metadata"]["labels"]["pod-template-hash"] for made in pods(shared_server, web)} <= {
        made["metadata"]["labels"]["pod-template-hash"] for made in replica_sets(shared_server, web)}


def test_rollout_history_and_undo(shared_server, web):
    set_word(shared_server, web, "second")
    history = shared_server.kubectl("rollout", "history", f"deployment/{web}")
    assert re.search(r"^REVISION +CHANGE-CAUSE\n1 +<none>\n2 +<none>$", history, re.M), history
    detail = shared_server.kubectl("rollout", "history", f"deployment/{web}", "--revision=2")
    assert re.search(r"WORD:\s+second", detail), detail
    said = shared_server.kubectl("rollout", "undo", f"deployment/{web}")
    assert said == f"deployment.apps/{web} rolled back\n"
    shared_server.kubectl("rollout", "status", f"deployment/{web}", "--timeout=40s")
    assert [word(made) for made in pods(shared_server, web)] == [None]
    history = shared_server.kubectl("rollout", "history", f"deployment/{web}")
    assert re.search(r"^2 +<none>\n3 +<none>$", history, re.M), "the first became the third"
    assert len(replica_sets(shared_server, web)) == 2, "the old replica set is used again"
    wrong = shared_server.try_kubectl("rollout", "undo", f"deployment/{web}", "--to-revision=99")
    assert wrong.code == 1 and "unable to find specified revision 99" in wrong.err, repr(wrong)


def test_rollout_restart_makes_new_pods(shared_server, web):
    [before] = pods(shared_server, web)
    said = shared_server.kubectl("rollout", "restart", f"deployment/{web}")
    assert said == f"deployment.apps/{web} restarted\n"
    shared_server.kubectl("rollout", "status", f"deployment/{web}", "--timeout=40s")
    [after] = wait_for("one pod", lambda: (lambda found: len(found) == 1 and found)(pods(shared_server, web)))
    assert after["metadata"]["uid"] != before["metadata"]["uid"]
    assert "kubectl.kubernetes.io/restartedAt" in after["metadata"]["annotations"]


def test_a_paused_rollout_waits_until_it_is_resumed(shared_server, web):
    assert shared_server.kubectl("rollout", "pause", f"deployment/{web}") == f"deployment.apps/{web} paused\n"
    shared_server.kubectl("set", "env", f"deployment/{web}", "WORD=later")
    wait_for("it to be seen", lambda: (lambda made: made["status"]["observedGeneration"] ==
                                       made["metadata"]["generation"])(shared_server.get("deployment", web)))
    assert [word(made) for made in pods(shared_server, web)] == [None]
    said = shared_server.kubectl("rollout", "resume", f"deployment/{web}")
    assert said == f"deployment.apps/{web} resumed\n"
    shared_server.kubectl("rollout", "status", f"deployment/{web}", "--timeout=40s")
    assert [word(made) for made in pods(shared_server, web)] == ["later"]


def test_a_deleted_pod_is_replaced(shared_server, web):
    [old] = pods(shared_server, web)
    shared_server.kubectl("delete", "pod", old["metadata"]["name"], "--timeout=20s")
    wait_for("another", lambda: [made for made in pods(shared_server, web)
                                 if made["status"]["phase"] == "Running"
                                 and made["metadata"]["uid"] != old["metadata"]["uid"]])


# ---- scale and expose ----------------------------------------------------------------------------


def test_scale_a_deployment_up_and_to_nothing(shared_server, web):
    said = shared_server.kubectl("scale", f"deployment/{web}", "--replicas=3")
    assert said == f"deployment.apps/{web} scaled\n"
    shared_server.kubectl("wait", f"deployment/{web}", "--for=jsonpath={.status.readyReplicas}=3", "--timeout=40s")
    wrong = shared_server.try_kubectl("scale", f"deployment/{web}", "--current-replicas=9", "--replicas=1")
    assert wrong.code == 1 and "Expected replicas to be 9, was 3" in wrong.err, repr(wrong)
    shared_server.kubectl("scale", f"deployment/{web}", "--current-replicas=3", "--replicas=0")
    wait_for("none", lambda: not shared_server.list("pods", "-l", f"app={web}"))
    row = shared_server.kubectl("get", "deployment", web, "--no-headers").split()
    assert row[1:4] == ["0/0", "0", "0"]


def test_scale_a_replica_set(shared_server):
    made = deployment("alone", replicas=1)
    made.update(kind="ReplicaSet")
    shared_server.create(made)
    assert shared_server.kubectl("scale", "rs/alone", "--replicas=2") == "replicaset.apps/alone scaled\n"
    wait_for("two", lambda: shared_server.get("rs", "alone")["status"].get("readyReplicas") == 2)
    shared_server.kubectl("delete", "rs", "alone", "--cascade=foreground", "--timeout=30s")


def test_scaling_what_has_no_scale(shared_server):
    shared_server.create(config_map("flat"))
    refused = shared_server.try_kubectl("scale", "configmap/flat", "--replicas=2")
    assert refused.code == 1 and "(NotFound)" in refused.err, repr(refused)


def test_expose_makes_a_service_with_endpoints(shared_server, web):
    said = shared_server.kubectl("expose", f"deployment/{web}", "--port=80", "--target-port=8080")
    assert said == f"service/{web} exposed\n"
    made = shared_server.get("service", web)
    assert made["spec"]["selector"] == {"app": web}
    [address] = wait_for("its endpoints", lambda: (shared_server.get("endpoints", web) or {})
                         .get("subsets", [{}])[0].get("addresses"))
    [running] = pods(shared_server, web)
    assert address["ip"] == running["status"]["podIP"]
    assert address["targetRef"]["name"] == running["metadata"]["name"]
    told = shared_server.kubectl("describe", "service", web)
    assert re.search(rf"^Endpoints: +{address['ip']}:8080$", told, re.M), told
    row = shared_server.kubectl("get", "endpointslices", "-l", f"kubernetes.io/service-name={web}", "--no-headers").split()
    assert row[1:4] == ["IPv4", "8080", address["ip"]], row


def test_a_headless_service_lists_the_pods_it_selects(shared_server):
    made = service("peers", clusterIP="None")
    shared_server.create(made)
    wait_for("its endpoints", lambda: shared_server.get("endpoints", "peers") is not None)
    one = labelled(pod("peer", "exec sleep 600", grace=0), app="peers")
    shared_server.create(one)
    [address] = wait_for("its pod", lambda: (shared_server.get("endpoints", "peers").get("subsets") or [{}])[0].get("addresses"))
    assert address["ip"] == shared_server.get("pod", "peer")["status"]["podIP"]
    shared_server.kubectl("label", "pod", "peer", "app-")
    wait_for("it to be left out", lambda: not shared_server.get("endpoints", "peers").get("subsets"))
    shared_server.kubectl("delete", "service", "peers")
    wait_for("its endpoints to go", lambda: shared_server.get("endpoints", "peers") is None and not shared_server.list(
        "endpointslices", "-l", "kubernetes.io/service-name=peers"))
    shared_server.kubectl("delete", "pod", "peer")


# ---- wait ----------------------------------------------------------------------------------------


def test_wait_for_a_condition_of_a_deployment_and_a_pod(shared_server, web):
    said = shared_server.kubectl("wait", f"deployment/{web}", "--for=condition=Available", "--timeout=20s")
    assert said == f"deployment.apps/{web} condition met\n"
    shared_server.kubectl("wait", "pods", "-l", f"app={web}", "--for=condition=Ready", "--timeout=20s")
    late = shared_server.try_kubectl("wait", f"deployment/{web}", "--for=condition=Nonsense", "--timeout=200ms")
    assert late.code == 1 and "timed out waiting for the condition" in late.err, repr(late)


def test_wait_for_deletion_and_creation(shared_server):
    shared_server.create(config_map("leaving"))
    threading.Timer(0.3, lambda: shared_server.kubectl("delete", "configmap", "leaving")).start()
    shared_server.kubectl("wait", "configmap/leaving", "--for=delete", "--timeout=20s")
    threading.Timer(0.3, lambda: shared_server.create(config_map("coming", a="1"))).start()
    shared_server.kubectl("wait", "configmap/coming", "--for=create", "--timeout=20s")
    shared_server.kubectl("wait", "configmap/coming", "--for=jsonpath={.data.a}=1", "--timeout=20s")


def test_rollout_of_a_deployment_whose_pods_never_get_ready(shared_server):
    made = deployment("failing", replicas=1, readinessProbe={"exec": {"command": ["false"]}})
    made["spec"]["progressDeadlineSeconds"] = 2
    shared_server.create(made)
    done = shared_server.try_kubectl("rollout", "status", "deployment/failing", "--timeout=30s")
    assert done.code == 1 and 'deployment "failing" exceeded its progress deadline' in done.err, repr(done)
    shared_server.kubectl("delete", "deployment", "failing", "--cascade=foreground", "--timeout=30s")


def test_a_rolling_update_never_goes_below_what_is_asked_for(shared_server, web):
    shared_server.kubectl("scale", f"deployment/{web}", "--replicas=2")
    shared_server.kubectl("rollout", "status", f"deployment/{web}", "--timeout=40s")
    watch = shared_server.stream("kubectl", "get", "deployment", web, "-w", "-o",
                                 "jsonpath={.status.availableReplicas} {.status.replicas}{'\\n'}")
    watch.wait_text("^2 2$")
    set_word(shared_server, web, "rolled")
    wait_for("the old pods to go", lambda: len(shared_server.list("pods", "-l", f"app={web}")) == 2)
    seen = [tuple(int(part or 0) for part in line.split(" ")) for line in watch.text.splitlines()]
    assert min(available for available, _ in seen) >= 2, "25% of 2, rounded down, is none"
    assert max(total for _, total in seen) <= 3, "25% of 2, rounded up, is one more"


def test_logs_and_exec_targets_by_deployment(shared_server, web):
    shared_server.kubectl("set", "env", f"deployment/{web}", "X=1")
    obj = shared_server.get("deployment", web)
    assert containers(obj)[0]["command"][-1] == SLEEP
    shared_server.kubectl("rollout", "status", f"deployment/{web}", "--timeout=40s")
    assert shared_server.try_kubectl("logs", f"deployment/{web}").code == 0


def test_jobs_wait_too(shared_server):
    shared_server.create(shell_job("awaited", "exit 0"))
    said = shared_server.kubectl("wait", "pj/awaited", "--for=jsonpath={.status.phase}=Succeeded", "--timeout=20s")
    assert said == "pytorchtrainingjob.batch.tensorstack.dev/awaited condition met\n"
    shared_server.create(pod("awaited", "exit 0"))
    shared_server.kubectl("wait", "pod/awaited", "--for=jsonpath={.status.phase}=Succeeded", "--timeout=20s")
    assert json.loads(shared_server.kubectl("get", "pod", "awaited", "-o", "json"))
