"""batch/v1 Jobs, as kubectl create job makes them."""

import json

from harness import wait_for
from jobs import pod_spec
from objects import conditions_of


def job(name, script, **spec):
    restart = spec.pop("restart", "Never")
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name}, "spec": {
        **spec, "template": {"spec": {"restartPolicy": restart, "terminationGracePeriodSeconds": 1, **pod_spec(script)}}}}


def pods(server, name):
    return server.list("pods", "-l", f"job-name={name}")


def test_a_job_runs_as_often_as_asked(shared_server):
    shared_server.create(job("thrice", "echo done", completions=3, parallelism=2))
    shared_server.kubectl("wait", "job/thrice", "--for=condition=Complete", "--timeout=30s")
    made = shared_server.get("job", "thrice")
    assert made["status"]["succeeded"] == 3 and "active" not in made["status"]
    assert made["status"]["completionTime"] >= made["status"]["startTime"]
    assert len(pods(shared_server, "thrice")) == 3
    assert shared_server.kubectl("logs", "job/thrice").strip() == "done"
    assert shared_server.kubectl("get", "job", "thrice", "--no-headers").split()[1:3] == ["Complete", "3/3"]
    shared_server.wait_event("thrice", "Completed")


def test_a_job_that_fails_says_why(shared_server):
    shared_server.create(job("fails", "exit 3", backoffLimit=0))
    shared_server.kubectl("wait", "job/fails", "--for=condition=Failed", "--timeout=30s")
    made = shared_server.get("job", "fails")
    [failed] = [c for c in made["status"]["conditions"] if c["type"] == "Failed"]
    assert failed["reason"] == "BackoffLimitExceeded"
    assert failed["message"] == "Job has reached the specified backoff limit"
    assert made["status"]["failed"] == 1


def test_a_deadline_ends_the_pods(shared_server):
    shared_server.create(job("late", "exec sleep 600", activeDeadlineSeconds=1))
    shared_server.kubectl("wait", "job/late", "--for=condition=Failed", "--timeout=30s")
    [failed] = [c for c in shared_server.get("job", "late")["status"]["conditions"] if c["type"] == "Failed"]
    assert failed["reason"] == "DeadlineExceeded"
    assert pods(shared_server, "late") == []


def test_each_pod_of_an_indexed_job_knows_its_number(shared_server):
    shared_server.create(job("numbered", "echo $JOB_COMPLETION_INDEX", completions=3, parallelism=3,
                             completionMode="Indexed"))
    shared_server.kubectl("wait", "job/numbered", "--for=condition=Complete", "--timeout=30s")
    assert shared_server.get("job", "numbered")["status"]["completedIndexes"] == "0-2"
    said = [shared_server.kubectl("logs", made["metadata"]["name"]).strip() for made in pods(shared_server, "numbered")]
    assert sorted(said) == ["0", "1", "2"]


def test_a_suspended_job_waits(shared_server):
    shared_server.create(job("later", "exit 0", suspend=True))
    wait_for("it to be suspended", lambda: conditions_of(shared_server.get("job", "later")).get("Suspended") == "True")
    assert pods(shared_server, "later") == []
    shared_server.kubectl("patch", "job", "later", "-p", '{"spec":{"suspend":false}}')
    shared_server.kubectl("wait", "job/later", "--for=condition=Complete", "--timeout=30s")


def test_a_job_goes_some_time_after_its_end(shared_server):
    shared_server.create(job("brief", "exit 0", ttlSecondsAfterFinished=1))
    wait_for("it to go", lambda: shared_server.get("job", "brief") is None and not pods(shared_server, "brief"))


def test_deleting_a_job_ends_its_pods(shared_server):
    shared_server.create(job("deleted", "exec sleep 600", completions=2, parallelism=2))
    wait_for("its pods", lambda: [p["status"].get("phase") for p in pods(shared_server, "deleted")] == ["Running"] * 2)
    shared_server.kubectl("delete", "job", "deleted")
    wait_for("its pods to go", lambda: pods(shared_server, "deleted") == [])


def test_a_pod_that_is_deleted_after_its_end_is_not_run_again(shared_server):
    shared_server.create(job("counts", "sleep 1.5", completions=2, parallelism=1))
    shared_server.kubectl("wait", "job/counts", "--for=jsonpath={.status.succeeded}=1", "--timeout=20s")
    shared_server.kubectl("delete", "pods", "-l", "job-name=counts", "--field-selector=status.phase=Succeeded")
    shared_server.kubectl("wait", "job/counts", "--for=condition=Complete", "--timeout=30s")
    assert shared_server.get("job", "counts")["status"]["succeeded"] == 2


def test_describe_tells_how_it_went(shared_server):
    shared_server.kubectl("create", "job", "told", "--image=host", "--", "sh", "-c", "exit 0")
    shared_server.kubectl("wait", "job/told", "--for=condition=Complete", "--timeout=30s")
    text = shared_server.kubectl("describe", "job", "told")
    assert "1 Succeeded / 0 Failed" in text and "SuccessfulCreate" in text, text


def test_a_job_goes_on_after_the_server_was_killed(server):
    server.create(job("survives", "sleep 0.2", completions=6, parallelism=2))
    wait_for("some success", lambda: (server.get("job", "survives").get("status") or {}).get("succeeded", 0) >= 1)
    server.kill()
    server.up()
    server.kubectl("wait", "job/survives", "--for=condition=Complete", "--timeout=30s")
    made = server.get("job", "survives")
    assert made["status"]["succeeded"] == 6 and not made["status"].get("failed"), json.dumps(made["status"])
