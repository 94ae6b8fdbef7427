"""The life of a pod, as a user of Kubernetes knows it: init containers, restarts, reasons, events."""

import json
import re
import time

import pytest
from harness import wait_for
from jobs import conditions, config_map, pod
from objects import secret
from servers import servers_of_both as shared_server  # noqa: F401 (a fixture)


def containers(obj, kind="containerStatuses"):
    """{name: status} of a pod's containers."""
    return {status["name"]: status for status in obj.get("status", {}).get(kind, [])}


def main(obj):
    return containers(obj).get("main", {})


def with_init(made, *inits):
    """Init containers (name, script) or (name, script, more fields) before the pod's own."""
    made["spec"]["initContainers"] = [
        {"name": name, "image": "host", "command": ["sh", "-c", script], **(more[0] if more else {})}
        for name, script, *more in inits]
    return made


def with_scratch(made):
    """A volume at /scratch that all containers of the pod share."""
    made["spec"]["volumes"] = [{"name": "scratch", "emptyDir": {}}]
    for container in made["spec"].get("initContainers", []) + made["spec"]["containers"]:
        container["volumeMounts"] = [{"name": "scratch", "mountPath": "/scratch"}]
    return made


def add_container(made, name, script, **more):
    made["spec"]["containers"].append({"name": name, "image": "host", "command": ["sh", "-c", script], **more})
    return made


def policy(made, word):
    made["spec"]["restartPolicy"] = word
    return made


def wait_status(server, name, what, test, timeout=20.0):
    """The pod as soon as test(pod) holds; its status is shown when that does not come."""
    seen = {}

    def reached():
        seen["pod"] = server.get("pod", name) or {}
        return test(seen["pod"]) and seen["pod"]
    try:
        return wait_for(what, reached, timeout)
    except AssertionError as missed:
        raise AssertionError(f"{missed}\n{json.dumps(seen['pod'].get('status'), indent=1)}") from None


def wait_waiting(server, name, reason, container="main", kind="containerStatuses"):
    found = wait_status(server, name, f"{container} to wait for {reason}", lambda obj: containers(
        obj, kind).get(container, {}).get("state", {}).get("waiting", {}).get("reason") == reason)
    return containers(found, kind)[container]["state"]["waiting"]


# ---- init containers and sidecars ----------------------------------------------------------------


def test_init_containers_run_in_order_before_the_rest(shared_server):
    made = with_scratch(with_init(pod("ordered", "cat /scratch/log; echo main"),
                                  ("one", "sleep 0.2; echo one >> /scratch/log"),
                                  ("two", "echo two >> /scratch/log")))
    shared_server.create(made)
    done = shared_server.wait_phase("ordered", "Succeeded", "pod")
    assert shared_server.kubectl("logs", "ordered") == "one\ntwo\nmain\n"
    assert [status["name"] for status in done["status"]["initContainerStatuses"]] == ["one", "two"]
    for status in containers(done, "initContainerStatuses").values():
        assert status["ready"] and status["state"]["terminated"]["reason"] == "Completed"


def test_what_waits_for_an_init_container_says_so(shared_server):
    shared_server.create(with_init(pod("patient", "exit 0", grace=0), ("slow", "sleep 600"), ("next", "exit 0")))
    assert wait_waiting(shared_server, "patient", "PodInitializing")
    seen = wait_status(shared_server, "patient", "slow to run", lambda obj: "running" in containers(
        obj, "initContainerStatuses").get("slow", {}).get("state", {}))
    assert seen["status"]["phase"] == "Pending"
    told = conditions(seen)
    assert told["Initialized"][:2] == ("False", "ContainersNotInitialized"), told
    assert told["Initialized"][2] == "containers with incomplete status: [slow next]", told
    assert re.search(r"patient +0/1 +Init:0/2 ", shared_server.kubectl("get", "pod", "patient"))
    shared_server.kubectl("delete", "pod", "patient")


def test_a_failed_init_container_fails_the_pod_that_never_restarts(shared_server):
    shared_server.create(with_init(pod("unlucky", "echo never"), ("bad", "exit 4")))
    done = shared_server.wait_phase("unlucky", "Failed", "pod")
    assert containers(done, "initContainerStatuses")["bad"]["state"]["terminated"]["exitCode"] == 4
    assert "waiting" in main(done)["state"], "it never ran"
    assert re.search(r"unlucky +0/1 +Init:Error ", shared_server.kubectl("get", "pod", "unlucky"))


def test_a_failed_init_container_is_tried_again(shared_server):
    script = "[ -e /scratch/second ] && exit 0; touch /scratch/second; exit 1"
    shared_server.create(policy(with_scratch(with_init(pod("stubborn", "echo made it"), ("flaky", script))), "OnFailure"))
    done = shared_server.wait_phase("stubborn", "Succeeded", "pod")
    flaky = containers(done, "initContainerStatuses")["flaky"]
    assert flaky["restartCount"] == 1 and flaky["lastState"]["terminated"]["exitCode"] == 1


def test_a_sidecar_runs_beside_and_ends_last(shared_server):
    sidecar = ("helper", "trap 'echo helper ends >> /scratch/log; exit 0' TERM; echo helper >> /scratch/log; "
               "while :; do sleep 0.05; done", {"restartPolicy": "Always"})
    made = with_scratch(with_init(pod("pair", "sleep 0.3; cat /scratch/log; echo main ends >> /scratch/log"),
                                  sidecar, ("then", "echo then >> /scratch/log")))
    shared_server.create(made)
    done = shared_server.wait_phase("pair", "Succeeded", "pod")
    assert shared_server.kubectl("logs", "pair") == "helper\nthen\n"
    ended = containers(done, "initContainerStatuses")["helper"]["state"]["terminated"]
    assert ended["exitCode"] == 0
    assert ended["finishedAt"] >= main(done)["state"]["terminated"]["finishedAt"]


# ---- restarts --------------------------------------------------------------------------------------


def test_a_crash_loop_is_told_as_users_know_it(shared_server):
    made = shared_server.create(policy(pod("crasher", "echo try; exit 3", grace=0), "Always"))
    waiting = wait_waiting(shared_server, "crasher", "CrashLoopBackOff")
    full = f"crasher_default({made['metadata']['uid']})"
    assert waiting["message"] == f"back-off 10s restarting failed container=main pod={full}"
    seen = shared_server.get("pod", "crasher")
    assert seen["status"]["phase"] == "Running", "a pod that has begun does not go back to Pending"
    assert main(seen)["restartCount"] == 1, "the first restart comes at once"
    last = main(seen)["lastState"]["terminated"]
    assert (last["exitCode"], last["reason"]) == (3, "Error")
    assert last["containerID"] == main(seen)["containerID"]
    assert conditions(seen)["Ready"] == ("False", "ContainersNotReady", "containers with unready status: [main]")
    assert re.search(r"crasher +0/1 +CrashLoopBackOff +1 ", shared_server.kubectl("get", "pod", "crasher"))
    assert shared_server.kubectl("logs", "crasher", "--previous") == "try\n"
    wait_for("the event", lambda: ("BackOff", f"Back-off restarting failed container main in pod {full}")
             in shared_server.events("crasher"))
    began = time.monotonic()
    wait_status(shared_server, "crasher", "the second restart", lambda obj: main(obj)["restartCount"] == 2)
    assert time.monotonic() - began < 12
    assert "back-off 20s" in wait_waiting(shared_server, "crasher", "CrashLoopBackOff")["message"]
    shared_server.kubectl("delete", "pod", "crasher")


def test_on_failure_restarts_until_it_succeeds(shared_server):
    script = "[ -e /scratch/second ] && exit 0; touch /scratch/second; kill -9 $$$$"
    shared_server.create(policy(with_scratch(pod("retry", script)), "OnFailure"))
    done = shared_server.wait_phase("retry", "Succeeded", "pod")
    assert main(done)["restartCount"] == 1
    last = main(done)["lastState"]["terminated"]
    assert (last["exitCode"], last.get("signal")) == (137, 9)
    assert main(done)["state"]["terminated"]["reason"] == "Completed"


def test_never_leaves_the_others_running(shared_server):
    shared_server.create(add_container(pod("half", "exit 5"), "other", "sleep 1; exit 0"))
    seen = wait_status(shared_server, "half", "the first to end", lambda obj: "terminated" in main(obj).get("state", {}))
    assert seen["status"]["phase"] == "Running"
    assert containers(seen)["other"]["ready"] and not main(seen)["ready"]
    assert main(shared_server.wait_phase("half", "Failed", "pod"))["restartCount"] == 0


def test_a_missing_program_is_a_start_error(shared_server):
    made = pod("typo", "")
    made["spec"]["containers"][0]["command"] = ["pyhton3", "train.py"]
    shared_server.create(made)
    ended = main(shared_server.wait_phase("typo", "Failed", "pod"))["state"]["terminated"]
    assert (ended["exitCode"], ended["reason"]) == (128, "StartError")
    assert 'exec: "pyhton3": executable file not found in $PATH' in ended["message"], ended


# ---- what keeps it from starting -------------------------------------------------------------------


def test_a_missing_config_map_is_waited_for(shared_server):
    shared_server.create(pod("wanting", "echo rate $RATE", env=[
        {"name": "RATE", "valueFrom": {"configMapKeyRef": {"name": "rates", "key": "rate"}}}]))
    assert wait_waiting(shared_server, "wanting", "CreateContainerConfigError")["message"] == \
        'configmap "rates" not found'
    assert ("Failed", 'Error: configmap "rates" not found') in wait_for(
        "the event", lambda: shared_server.events("wanting"))
    shared_server.create(config_map("rates", other="1"))
    wait_status(shared_server, "wanting", "the missing key", lambda obj: main(obj)["state"].get(
        "waiting", {}).get("message") == "couldn't find key rate in ConfigMap default/rates")
    began = time.monotonic()
    shared_server.kubectl("patch", "configmap", "rates", "-p", '{"data": {"rate": "0.1"}}')
    shared_server.wait_phase("wanting", "Succeeded", "pod")
    assert time.monotonic() - began < 5, "it goes on by itself, at once"
    assert shared_server.kubectl("logs", "wanting") == "rate 0.1\n"


def test_variables_from_everywhere(shared_server):
    shared_server.create(config_map("settings", MODE="fast", LEVEL="3"))
    shared_server.create(secret("login", user="ann", password="s3cret"))
    made = pod("equipped", 'echo "$MODE $DB_user $DB_password $CPU $MEMORY $NODE $IP $HOST $WHO"; echo "$@"',
               envFrom=[{"configMapRef": {"name": "settings"}}, {"prefix": "DB_", "secretRef": {"name": "login"}},
                        {"secretRef": {"name": "none", "optional": True}}],
               env=[{"name": "MODE", "value": "very-$(MODE)"},
                    {"name": "CPU", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu"}}},
                    {"name": "MEMORY", "valueFrom": {"resourceFieldRef": {
                        "resource": "requests.memory", "divisor": "1Mi"}}},
                    {"name": "NODE", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}},
                    {"name": "IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}},
                    {"name": "HOST", "valueFrom": {"fieldRef": {"fieldPath": "status.hostIP"}}},
                    {"name": "WHO", "valueFrom": {"fieldRef": {"fieldPath": "spec.serviceAccountName"}}}],
               args=["sh", "$(LEVEL)", "$$(LEVEL)", "$(UNKNOWN)"])
    shared_server.create(made)
    done = shared_server.wait_phase("equipped", "Succeeded", "pod")
    cpus = shared_server.get("node", "node-0")["status"]["allocatable"]["cpu"]
    status = done["status"]
    assert shared_server.kubectl("logs", "equipped") == (
        f"very-fast ann s3cret {cpus} 16 node-0 {status['podIP']} {status['hostIP']} default\n"
        "3 $(LEVEL) $(UNKNOWN)\n")


def test_a_container_without_a_command_says_what_is_missing(shared_server):
    made = pod("empty", "", grace=0)
    del made["spec"]["containers"][0]["command"]
    shared_server.create(made)
    assert "command" in wait_waiting(shared_server, "empty", "CreateContainerError")["message"]
    shared_server.kubectl("delete", "pod", "empty")


# ---- deadlines, deletion, conditions, events -------------------------------------------------------


def test_a_deadline_fails_the_pod(shared_server):
    made = pod("late", "exec sleep 600", grace=1)
    made["spec"]["activeDeadlineSeconds"] = 1
    shared_server.create(made)
    done = shared_server.wait_phase("late", "Failed", "pod")
    assert done["status"]["reason"] == "DeadlineExceeded"
    assert done["status"]["message"] == "Pod was active on the node longer than the specified deadline"
    assert main(done)["state"]["terminated"]["exitCode"] == 143


def test_conditions_and_addresses_of_a_running_pod(shared_server):
    shared_server.create(pod("whole", "sleep 600", grace=0))
    seen = shared_server.wait_phase("whole", "Running", "pod")
    told = conditions(seen)
    for type in ["PodScheduled", "PodReadyToStartContainers", "Initialized", "ContainersReady", "Ready"]:
        assert told[type][0] == "True", told
    status = seen["status"]
    assert status["podIPs"] == [{"ip": status["podIP"]}] and status["hostIPs"] == [{"ip": status["hostIP"]}]
    assert status["qosClass"] == "Burstable" and status["startTime"]
    assert main(seen)["containerID"] == f"trainyard://{seen['metadata']['uid']}/main/0"
    assert main(seen)["started"] and main(seen)["ready"] and main(seen)["restartCount"] == 0
    shared_server.kubectl("delete", "pod", "whole")


def test_conditions_of_others_stay(shared_server):
    made = pod("gated", "sleep 600", grace=0)
    made["spec"]["readinessGates"] = [{"conditionType": "example.com/ok"}]
    shared_server.create(made)
    seen = wait_status(shared_server, "gated", "its containers", lambda obj: conditions(obj).get(
        "ContainersReady", [""])[0] == "True")
    assert conditions(seen)["Ready"][:2] == ("False", "ReadinessGatesNotReady")
    shared_server.kubectl("patch", "pod", "gated", "--subresource=status", "-p", json.dumps(
        {"status": {"conditions": [{"type": "example.com/ok", "status": "True"}]}}))
    seen = wait_status(shared_server, "gated", "Ready", lambda obj: conditions(obj)["Ready"][0] == "True")
    assert conditions(seen)["example.com/ok"][0] == "True"
    assert conditions(seen)["Ready"] == ("True", None, None), "the old reason is gone"
    shared_server.kubectl("delete", "pod", "gated")


def test_a_short_container_is_never_ready(shared_server):
    watch = shared_server.stream("kubectl", "get", "pod", "-w", "-l", "brief=yes", "-o",
                                 "jsonpath={.status.phase} {.status.conditions[?(@.type=='Ready')].status}{'\\n'}")
    made = pod("brief", "exit 0")
    made["metadata"]["labels"] = {"brief": "yes"}
    shared_server.create(made)
    watch.wait_text("^Succeeded")
    assert "True" not in watch.text, watch.text


def test_events_tell_a_pods_life_once(shared_server):
    shared_server.create(pod("told", "exec sleep 600", grace=1))
    shared_server.wait_phase("told", "Running", "pod")
    wait_for("its events", lambda: {"Pulled", "Created", "Started"} <= dict(shared_server.events("told")).keys())
    told = dict(shared_server.events("told"))
    assert told["Created"] == "Created container: main" and told["Started"] == "Started container main"
    assert len(shared_server.events("told")) == len(told), "each once"
    shared_server.kubectl("delete", "pod", "told")
    wait_for("the last one", lambda: dict(shared_server.events("told")).get("Killing") == "Stopping container main")


@pytest.mark.parametrize("script", ["exit 1", "sleep 600"])
def test_a_pod_is_deleted_whatever_it_does(shared_server, script):
    shared_server.create(policy(pod("going", script, grace=1), "Always"))
    time.sleep(0.2)  # somewhere in its life
    began = time.monotonic()
    shared_server.kubectl("delete", "pod", "going", "--timeout=20s")
    assert time.monotonic() - began < 5
