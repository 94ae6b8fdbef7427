"""Jobs that go wrong: what is restarted, what is not, and whether the reason can be found
(spec/t9k-jobs.md, 1.2, 1.8 and J5)."""

import re
import time

import pytest
from harness import wait_for
from jobs import WAIT, conditions, gated, job, pod, replicas, shell_job, with_volume


def wait_ended(server, name, phase):
    job = server.wait_phase(name, phase)
    server.wait_event(name, phase)
    return job


def assert_reason_is_everywhere(server, name, *words, code=None):
    """In the condition, in the event and, in fewer words, in what `trainyard get` prints first."""
    told = conditions(server.get("pj", name))
    assert told["Failed"][:2] == ("True", "Failed") and told["Completed"][:2] == ("True", "Failed")
    assert told["Running"][0] == "False" and told["ReplicaFailure"][0] == "True"
    shown = server.cli("get", name)
    reason = next((line for line in shown.out.splitlines() if line.startswith("Reason:")), "")
    for word in [f"worker-0 failed (exit {code}"] if code else words:
        assert word in reason, repr(shown)
    for word in words:
        assert word in told["Failed"][2], told
        assert word in told["Completed"][2], told
        assert word in dict(server.events(name))["Failed"], server.events(name)


def test_exit_1_under_on_failure_is_replaced_once_then_fails(server):
    server.create(shell_job("unlucky", "echo try; exit 1", run_policy={"backoffLimit": 1}))
    done = wait_ended(server, "unlucky", "Failed")
    [pod] = server.pods("unlucky")
    name = pod["metadata"]["name"]
    assert done["status"]["backoffCount"] == 1
    assert done["status"]["tasks"][0]["restartCount"] == 1
    assert done["status"]["aggregate"]["failed"] == 1
    assert pod["status"]["phase"] == "Failed"
    assert_reason_is_everywhere(server, "unlucky", f"Pod[{name}] exited with error code 1", code=1)
    created = [message for reason, message in server.events("unlucky") if reason == "NewReplica"]
    assert len(created) == 2 and name in created[0] and name in created[1], created
    assert server.kubectl("logs", name) == "try\n", "the log of the last try stays"


def test_replacement_keeps_name_and_rank(server, gate):
    script = f"echo rank $RANK; [ -e /gate/open ] || {{ {WAIT}; exit 1; }}"
    server.create(gated(job("twin", replicas(script), replicas("sleep 30", "other"))))
    server.wait_phase("twin", "Running")
    before = server.pods("twin")
    gate.open()
    wait_ended(server, "twin", "Succeeded")
    after = server.pods("twin")
    names = lambda pods: sorted(pod["metadata"]["name"] for pod in pods)  # noqa: E731
    assert names(after) == names(before)
    master = {"before": before, "after": after}
    uids = {when: next(pod["metadata"]["uid"] for pod in pods
                       if pod["metadata"]["labels"].get("job-role") == "master")
            for when, pods in master.items()}
    assert uids["before"] != uids["after"]
    log = server.kubectl("logs", "-l", "tensorstack.dev/owner-name=twin,job-role=master")
    assert log == "rank 0\n"


@pytest.mark.parametrize("restart,code", [("ExitCode", 1), ("ExitCode", 2), ("Never", 1), ("Never", 137)])
def test_no_restart(server, restart, code):
    server.create(shell_job("final", f"exit {code}", restart=restart))
    done = wait_ended(server, "final", "Failed")
    assert done["status"]["backoffCount"] == 0
    created = [reason for reason, _ in server.events("final") if reason == "NewReplica"]
    assert created == ["NewReplica"]
    assert_reason_is_everywhere(server, "final", f"exited with error code {code}", code=code)


@pytest.mark.parametrize("code", [138, 130, 137, 143])
def test_exit_code_policy_restarts_after(server, gate, code):
    script = f"[ -e /gate/second ] && exit 0; touch /gate/second; exit {code}"
    server.create(gated(shell_job("retry", script, restart="ExitCode")))
    done = wait_ended(server, "retry", "Succeeded")
    assert done["status"]["backoffCount"] == 1
    assert conditions(done)["ReplicaFailure"][0] == "False"


def test_killed_by_a_signal_counts_as_128_plus_signal(server):
    server.create(shell_job("shot", "kill -9 $$$$", restart="Never"))  # $$ is Kubernetes' way to write $
    wait_ended(server, "shot", "Failed")
    terminated = server.pods("shot")[0]["status"]["containerStatuses"][0]["state"]["terminated"]
    assert terminated["exitCode"] == 137


def test_failure_beside_the_master_lets_the_job_go_on(server, gate):
    server.create(gated(job("limping", replicas(WAIT, "chief"),
                            replicas("exit 5", "worker", restart="Never"))))

    def failing():
        now = server.get("pj", "limping")
        return now.get("status") and conditions(now).get("ReplicaFailure", [None])[0] == "True" and now
    limping = wait_for("ReplicaFailure=True", failing)
    assert conditions(limping)["ReplicaFailure"][1] == "ErrorInPod"
    assert "exited with error code 5" in conditions(limping)["ReplicaFailure"][2]
    assert limping["status"]["phase"] in ("Pending", "Running")
    gate.open()
    wait_ended(server, "limping", "Succeeded")


def test_unknown_volume_holds_the_job_until_it_is_made(server):
    server.create(with_volume(shell_job("patient", "echo got it"), "later"))
    [waiting] = wait_for("the pod", lambda: server.pods("patient"))
    name = waiting["metadata"]["name"]
    told = wait_for("an event of the pod that names the volume", lambda: [
        message for _, message in server.events(name) if "later" in message])
    assert "trainyard data create later" in told[0] or "PersistentVolumeClaim" in told[0], told
    assert server.get("pod", name)["status"]["phase"] == "Pending"
    assert server.get("pj", "patient")["status"]["phase"] == "Pending"
    assert "later" in server.kubectl("describe", "pod", name)
    made = server.cli("data", "create", "later")
    assert made.code == 0, repr(made)
    wait_ended(server, "patient", "Succeeded")
    assert server.kubectl("logs", name) == "got it\n"


def test_two_containers_that_wait_do_not_keep_the_server_busy(server):
    """Each tells why it waits; they must not wake each other for ever."""
    made = with_volume(pod("pair", "exit 0"), "never")
    made["spec"]["containers"].append({**made["spec"]["containers"][0], "name": "second"})
    server.create(made)

    def messages():
        statuses = server.get("pod", "pair")["status"].get("containerStatuses", [])
        return [status["state"].get("waiting", {}).get("message", "") for status in statuses]
    wait_for("both to say why", lambda: ["never" in message for message in messages()] == [True, True])

    def version():
        code, body = server.api("/api/v1/events", server.token())
        assert code == 200, body
        return int(body["metadata"]["resourceVersion"])

    def quiet():
        before = version()
        time.sleep(0.3)  # long enough for hundreds of writes
        return version() == before
    wait_for("the server to be quiet", quiet, 5)


def test_missing_command_is_named(server):
    made = shell_job("typo", "", restart="Never")
    made["spec"]["replicaSpecs"][0]["template"]["spec"]["containers"][0]["command"] = ["pyhton3"]
    server.create(made)
    wait_ended(server, "typo", "Failed")
    state = server.pods("typo")[0]["status"]["containerStatuses"][0]["state"]["terminated"]
    assert state["exitCode"] in (126, 127, 128), state
    assert "pyhton3" in state["message"], state
    assert_reason_is_everywhere(server, "typo", "pyhton3")


def test_missing_working_folder_is_named(server):
    server.create(shell_job("lost", "pwd", restart="Never", workingDir="/no/such/folder"))
    wait_ended(server, "lost", "Failed")
    assert_reason_is_everywhere(server, "lost", "/no/such/folder")


def test_job_that_can_never_fit_says_so(server):
    server.create(shell_job("giant", "exit 0", resources={"requests": {"memory": "900Ti"}}))
    [waiting] = wait_for("the pod", lambda: server.pods("giant"))
    name = waiting["metadata"]["name"]

    def scheduled():
        told = conditions(server.get("pod", name)).get("PodScheduled")
        return told and told[2] and told
    status, reason, message = wait_for("PodScheduled", scheduled)
    assert (status, reason) == ("False", "Unschedulable")
    assert "memory" in message and "never fit" in message, message
    server.wait_event(name, "FailedScheduling", message)
    assert server.get("pj", "giant")["status"]["phase"] == "Pending"


def test_gang_is_placed_whole_or_not_at_all(server):
    node = server.get("node", "node-0")["status"]["allocatable"]["memory"]
    share = f"{int(node.removesuffix('Ki')) * 6 // 10}Ki"  # two of them do not fit, one does
    server.create(shell_job("pair", "exit 0", count=2, resources={"requests": {"memory": share}}))
    pods = wait_for("both pods", lambda: (lambda found: len(found) == 2 and found)(server.pods("pair")))
    wait_for("the reason", lambda: "memory" in str(server.events(pods[0]["metadata"]["name"])))
    assert [pod["spec"].get("nodeName") for pod in server.pods("pair")] == [None, None]
    server.create(shell_job("single", "exit 0", resources={"requests": {"memory": share}}))
    server.wait_phase("single", "Succeeded")


def test_deadline_fails_the_job_and_stops_its_pods(server):
    began = time.monotonic()
    server.create(shell_job("slow", "exec sleep 31536003", run_policy={"activeDeadlineSeconds": 2}))
    wait_ended(server, "slow", "Failed")
    assert 0.9 < time.monotonic() - began < 10  # status.startTime has whole seconds
    assert_reason_is_everywhere(server, "slow", "activeDeadlineSeconds")
    wait_for("the pod to go", lambda: server.pods("slow") == [])
    assert server.get("pj", "slow")["status"]["aggregate"]["deleted"] == 1


@pytest.mark.parametrize("policy,left", [("None", {"chief", "worker"}), ("Unfinished", {"chief"}), ("All", set())])
def test_clean_up_after_the_end(server, gate, policy, left):
    groups = [replicas(WAIT, "chief"), replicas("sleep 600", "worker")]
    made = gated(job("tidy", *groups, runPolicy={"cleanUpPolicy": policy}))
    for group in made["spec"]["replicaSpecs"]:
        group["template"]["spec"]["terminationGracePeriodSeconds"] = 1
    server.create(made)
    server.wait_phase("tidy", "Running")
    gate.open()
    wait_ended(server, "tidy", "Succeeded")
    types = lambda: {pod["metadata"]["labels"]["replica-type"] for pod in server.pods("tidy")}  # noqa: E731
    wait_for(f"{left} to be left", lambda: types() == left)
    wait_for("the count of the deleted", lambda: server.get("pj", "tidy")["status"]["aggregate"]["deleted"]
             == 2 - len(left))
    assert server.get("pj", "tidy")["status"]["phase"] == "Succeeded"


def test_fields_of_the_pod_in_its_environment(server):
    made = pod("fields", "echo $WHO $WHERE", env=[
        {"name": "WHO", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
        {"name": "WHERE", "valueFrom": {"fieldRef": {"fieldPath": "metadata.namespace"}}}])
    server.create(made)
    server.wait_phase("fields", "Succeeded", "pod")
    assert server.kubectl("logs", "fields") == "fields default\n"
