"""trainyard's job commands: what they show and change, for every kind of job."""

import json
import re
import time
from pathlib import Path

import pytest
import yaml
from harness import TRAINYARD, wait_for
from jobs import WAIT, gated, job, replicas, shell_job
from terminal import Terminal

DATA = Path(__file__).resolve().parent / "data"


def submit(server, obj, *args):
    said = server.cli("submit", "-f", "-", *args, input=yaml.safe_dump(obj))
    assert said.code == 0, repr(said)
    return said


# ---- all kinds, and names that several have ------------------------------------------------------


@pytest.fixture(scope="module")
def twins(shared_server):
    """Two jobs called `hvd-digits`: T9k's MPIJob, and Kubeflow's."""
    ours = yaml.safe_load((DATA / "mpijob-t9k.yaml").read_text())
    theirs = yaml.safe_load((DATA / "mpijob-kubeflow.yaml").read_text())
    for made in [ours, theirs]:
        made["metadata"] = {"name": "twin", "labels": {"pair": "yes"}}
        shared_server.create(made)
    return shared_server


def test_list_shows_jobs_of_all_kinds(twins):
    rows = [line.split() for line in twins.cli("list", "-l", "pair=yes").out.splitlines()]
    assert [row[:2] for row in rows[1:]] == [["twin", "MPIJob"]] * 2
    names = twins.cli("list", "-l", "pair=yes", "-o", "name").out.split()
    assert sorted(names) == ["mpijob.batch.tensorstack.dev/twin", "mpijob.kubeflow.org/twin"]


def test_ambiguous_name_is_an_error_that_names_the_candidates(twins):
    said = twins.cli("get", "twin")
    assert said.code == 1, repr(said)
    for name in ["mpijob.batch.tensorstack.dev/twin", "mpijob.kubeflow.org/twin"]:
        assert name in said.err, repr(said)
        assert twins.cli("get", name, "-o", "json").json()["metadata"]["name"] == "twin"
    assert twins.cli("get", "mj/twin", "-o", "name").out == "mpijob.batch.tensorstack.dev/twin\n"


def test_pause_edits_the_field_of_the_kind(twins):
    assert twins.cli("pause", "mpijob.kubeflow.org/twin").code == 0
    edited = json.loads(twins.kubectl("get", "mpijobs.kubeflow.org", "twin", "-o", "json"))
    assert edited["spec"]["runPolicy"]["suspend"] is True


# ---- looking -------------------------------------------------------------------------------------


def test_wide_list_has_resources_duration_and_reason(shared_server):
    submit(shared_server, shell_job("bad-end", "exit 7", restart="Never",
                                    resources={"requests": {"cpu": "500m", "memory": "64Mi"}, "limits": {"cpu": "1"}}))
    shared_server.wait_phase("bad-end", "Failed")
    heading, *rows = shared_server.cli("list", "-o", "wide").out.splitlines()
    assert heading.split() == ["NAME", "KIND", "PHASE", "REPLICAS", "AGE", "DURATION", "CPU", "MEMORY",
                               "GPU", "PROGRESS", "REASON"]
    [row] = [row for row in rows if row.startswith("bad-end ")]
    assert "500m / 1" in row and "64Mi" in row and "7" in row, row


def test_describe_tells_why_with_node_exit_code_and_events(shared_server):
    submit(shared_server, shell_job("sad", "echo oh no; exit 4", restart="Never"))
    shared_server.wait_phase("sad", "Failed")
    node = shared_server.pods("sad")[0]["spec"]["nodeName"]
    told = shared_server.cli("describe", "sad").out
    assert re.match(r"sad is a PyTorchTrainingJob in namespace default, created \S+ ago", told), told
    assert re.search(r"^It has failed, after \d+s\.\nThe reason: .*4", told, re.M), told
    assert re.search(rf"^  worker-0 +Failed +{node} +4 +0 ", told, re.M), told
    assert re.search(r"^  \S+Z +Normal +the job +Created +A PyTorchTrainingJob has been created: sad$", told, re.M), told


def test_get_takes_several_names_and_none(shared_server):
    for name in ["first", "second"]:
        submit(shared_server, shell_job(name, "exit 0"))
        shared_server.wait_phase(name, "Succeeded")
    shown = shared_server.cli("get", "first", "second").out
    assert re.findall(r"^Name: +(\w+)$", shown, re.M) == ["first", "second"]
    both = shared_server.cli("get", "first", "second", "-o", "json").json()
    assert [item["metadata"]["name"] for item in both["items"]] == ["first", "second"]
    without_ages = [re.sub(r"\d+s\b", "", shared_server.cli(command).out) for command in ["get", "list"]]
    assert without_ages[0] == without_ages[1] and "first" in without_ages[0]
    assert "NODE" in shared_server.cli("get", "first", "-o", "wide").out


def test_shells_complete_job_names(shared_server):
    submit(shared_server, shell_job("finish-me", "exit 0"))
    def words(*typed):
        return shared_server.cli("__complete", "--", *typed).out.split()
    assert words("des") == ["describe"] and "--tail" in words("logs", "--") and "list" in words("")
    assert words("describe", "finish") == ["finish-me"]
    assert words("wait", "other", "finish") == ["finish-me"]
    assert words("logs", "--tail", "finish") == [] and words("data", "ls", "finish") == []


# ---- logs ----------------------------------------------------------------------------------------


def test_logs_of_several_replicas_are_merged_in_the_order_of_time(server, gate):
    script = ('[ $RANK = 0 ] && { echo begin; until [ -e /gate/one ]; do sleep 0.03; done; echo end; } || '
              '{ until [ -e /gate/zero ]; do sleep 0.03; done; echo middle; touch /gate/one; }; '
              '[ $RANK = 0 ] || sleep 600')
    submit(server, gated(shell_job("talk", script, count=2)))
    server.wait_phase("talk", "Running")
    wait_for("the first line", lambda: "begin" in server.cli("logs", "talk", "-i", "worker-0").out)
    gate.open("zero")
    server.wait_phase("talk", "Succeeded")
    assert server.cli("logs", "talk").out == "[worker-0] begin\n[worker-1] middle\n[worker-0] end\n"
    assert server.cli("logs", "talk", "-i", "worker-1").out == "middle\n"
    assert server.cli("logs", "talk", "--tail", "1").out == "[worker-1] middle\n[worker-0] end\n"
    stamped = server.cli("logs", "talk", "-i", "worker-0", "--timestamps").out
    assert re.fullmatch(r"(\d{4}-\d\d-\d\dT\S+Z (begin|end)\n){2}", stamped), stamped
    wrong = server.cli("logs", "talk", "-i", "worker-7")
    assert wrong.code == 1 and "worker-0, worker-1" in wrong.err, repr(wrong)


def test_logs_have_a_colour_a_rank_on_a_terminal_only(shared_server):
    submit(shared_server, shell_job("colour", "echo hello", count=2))
    shared_server.wait_phase("colour", "Succeeded")
    assert "\x1b[" not in shared_server.cli("logs", "colour").out
    def at_terminal(**env):
        terminal = Terminal([TRAINYARD, "logs", "colour"], {**shared_server.env, "TERM": "xterm", **env})
        assert terminal.wait_end() == 0
        return terminal.text
    tags = re.findall(r"\x1b\[(\d+)m\[worker-\d\]\x1b\[0m hello", at_terminal())
    assert len(set(tags)) == 2, tags
    assert "\x1b[" not in at_terminal(NO_COLOR="1")


def test_follow_of_one_replica_goes_on_through_its_restart(server, gate):
    script = f"[ -e /gate/open ] && echo again && exit 0; echo first; {WAIT}; exit 1"
    submit(server, gated(job("steady", replicas("sleep 600", "chief"), replicas(script, count=1))))
    server.wait_phase("steady", "Running")
    follow = server.stream("trainyard", "logs", "-f", "steady", "-i", "worker-0", "--tail", "5")
    follow.wait_text("^first$")
    gate.open()
    follow.wait_text("^again$")
    assert follow.text == "first\nworker-0 was started anew (attempt 2)\nagain\n", repr(follow)


# ---- waiting -------------------------------------------------------------------------------------


def test_wait(server, gate):
    submit(server, gated(shell_job("slow", WAIT)))
    assert server.cli("wait", "slow", "--for", "Running").code == 0
    late = server.cli("wait", "slow", "--timeout", "1s")
    assert late.code == 2 and "slow" in late.err, repr(late)
    waiting = server.stream("trainyard", "wait", "slow")
    never = server.stream("trainyard", "wait", "slow", "--for", "Failed")
    time.sleep(0.3)
    assert waiting.process.poll() is None
    gate.open()
    assert waiting.wait_end() == 0, repr(waiting)
    assert never.wait_end() == 1 and "Succeeded" in never.text, "it ends as soon as it can no longer be"
    assert server.cli("wait", "slow", "--for", "completed").code == 0
    assert server.cli("delete", "slow").code == 0
    assert server.cli("wait", "slow", "--for", "Deleted").code == 0


# ---- changing ------------------------------------------------------------------------------------


def test_pause_and_resume(server, gate):
    submit(server, gated(shell_job("held", f"echo up; {WAIT}")))
    server.wait_phase("held", "Running")
    assert "being paused" in server.cli("pause", "held").out
    assert server.cli("wait", "held", "--for", "Paused", "--timeout", "30s").code == 0
    wait_for("its pods to go", lambda: server.pods("held") == [])
    assert "already" in server.cli("pause", "held").out
    assert "trainyard resume held" in server.cli("describe", "held").out
    assert server.cli("resume", "held").code == 0
    server.wait_phase("held", "Running")
    gate.open()
    server.wait_phase("held", "Succeeded")
    over = server.cli("pause", "held")
    assert over.code == 1 and "Succeeded" in over.err, repr(over)


def test_scale_of_an_elastic_job(shared_server):
    submit(shared_server, {**job("grow", replicas("sleep 600", count=1)), "spec": {
        "torchrunConfig": {"enabled": True},
        "elastic": {"enabled": True, "minReplicas": 1, "maxReplicas": 3, "expectedReplicas": 1},
        "runMode": {"pause": {"enabled": True}},
        "replicaSpecs": [{**replicas("", count=1), "template": {"spec": {"containers": [
            {"name": "main", "image": "host", "args": ["x.py"]}]}}}]}})
    assert shared_server.cli("scale", "grow", "2").code == 0
    assert shared_server.get("pj", "grow")["spec"]["elastic"]["expectedReplicas"] == 2
    beyond = shared_server.cli("scale", "grow", "5")
    assert beyond.code == 1 and "1 to 3" in beyond.err, repr(beyond)


def test_scale_of_another_job_says_what_to_do(shared_server):
    submit(shared_server, shell_job("rigid", "sleep 600"))
    said = shared_server.cli("scale", "rigid", "2")
    assert said.code == 1 and "spec.elastic" in said.err, repr(said)


def test_debug_brings_up_a_copy_to_look_around_in(shared_server):
    server = shared_server
    submit(server, shell_job("broken", "exit 3", restart="Never", env=[{"name": "WHO", "value": "me"}]))
    server.wait_phase("broken", "Failed")
    said = server.cli("debug", "broken")
    assert said.code == 0, repr(said)
    [pod] = server.pods("broken-debug")
    assert f"kubectl exec -it -n default {pod['metadata']['name']} -- bash" in said.out
    assert server.kubectl("exec", pod["metadata"]["name"], "--", "sh", "-c", "echo $WHO $RANK") == "me 0\n"
    assert server.get("pj", "broken")["status"]["phase"] == "Failed", "the job itself is left alone"
    refused = server.cli("debug", "broken", "--replace")
    assert refused.code == 1 and "--yes" in refused.err, repr(refused)
    replaced = server.cli("debug", "broken", "--replace", "--yes")
    assert replaced.code == 0, repr(replaced)
    assert server.get("pj", "broken")["status"]["phase"] == "Running"


def test_delete_all_asks_first(server):
    for name in ["one", "two"]:
        submit(server, shell_job(name, "sleep 600"))
    refused = server.cli("delete", "--all")
    assert refused.code == 1 and "--yes" in refused.err and "2 jobs" in refused.err, repr(refused)
    assert server.cli("delete").code == 1
    typo = server.cli("delete", "one", "tow")
    assert typo.code == 1 and server.get("pj", "one"), "a typing error deletes nothing"
    terminal = Terminal([TRAINYARD, "delete", "--all"], server.env)
    terminal.wait_text(r"\[y/N\]")
    terminal.type("y\n")
    assert terminal.wait_end() == 0
    wait_for("the end of both", lambda: server.list("pj") == [] and server.list("pods") == [])
