"""The trainyard command line: jobs and volumes."""

import json

import pytest
import yaml
from harness import wait_for
from jobs import WAIT, gated, job, replicas, shell_job


def submit(server, obj, *args, **more):
    return server.cli("submit", "-f", "-", *args, input=yaml.safe_dump(obj), **more)


def test_submit_and_follow_to_success(server):
    file = server.folder / "job.yaml"
    file.write_text("# a comment\n" + yaml.safe_dump(shell_job("hello", "echo hello from $RANK")))
    said = server.cli("submit", "-f", file, "--follow")
    assert said.code == 0, repr(said)
    assert "hello from 0" in said.out
    assert "hello" in said.err and "created" in said.err, repr(said)
    assert "✓ hello succeeded" in said.err, repr(said)


def test_submit_and_follow_to_failure(server):
    said = submit(server, shell_job("sad", "echo trying; exit 4", restart="Never"), "--follow")
    assert said.code == 1, repr(said)
    assert "trying" in said.out
    assert "✗ sad failed" in said.err and "sad failed after" in said.err and "(exit 4): trying" in said.err, repr(said)


def test_follow_shows_all_replicas_and_the_replacement(server, gate):
    script = f"[ -e /gate/open ] && echo second && exit 0; echo first; {WAIT}; exit 1"
    file = server.folder / "many.json"
    file.write_text(json.dumps(gated(job(
        "many", replicas(script, "chief"), replicas("echo worker $RANK; sleep 600", count=2)))))
    follow = server.stream("trainyard", "submit", "-f", str(file), "--follow")
    for line in ["first", "worker 1", "worker 2"]:
        follow.wait_text(line)
    gate.open()
    assert follow.wait_end() == 0, repr(follow)
    for line in ["worker 1", "worker 2", "first", "second"]:
        assert follow.text.count(line) == 1, repr(follow)


def test_submit_several_documents(server):
    text = yaml.safe_dump_all([{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}},
                               shell_job("j", "exit 0")])
    said = server.cli("submit", "-f", "-", "-o", "name", input=text)
    assert said.code == 0, repr(said)
    assert len(said.out.split()) == 2 and said.out.split()[1].endswith("j"), repr(said)
    assert server.get("configmap", "c") and server.get("pj", "j")


@pytest.mark.parametrize("text,wanted", [
    ("apiVersion: v1\nkind: ConfigMap\n  bad: indent\n", ["broken.yaml:3: "]),
    ("apiVersion: v1\nkind: [unclosed\n", ["broken.yaml:"]),
    ("apiVersion: v1\nkind: ConfigMap\nkind: Secret\n", ["broken.yaml:3: ", "kind"]),
    ("a: &x [1]\nb: *y\n", ["broken.yaml:2: "]),
    ("just words\n", ["apiVersion"]), ("", ["no object"]), ("kind: Job\n", ["apiVersion"]),
    ("apiVersion: nonsense/v9\nkind: Thing\nmetadata: {name: x}\n", ["broken.yaml:2: ", "Thing"])])
def test_submit_of_a_bad_file_says_where(server, text, wanted):
    file = server.folder / "broken.yaml"
    file.write_text(text)
    said = server.cli("submit", "-f", file)
    assert said.code == 1, repr(said)
    for word in wanted:
        assert word in said.err, repr(said)
    assert "broken.yaml" in said.err, repr(said)


def test_submit_of_an_invalid_job_names_the_field(server):
    made = shell_job("wrong", "exit 0")
    made["spec"]["replicaSpecs"][0]["replicas"] = -2
    made["spec"]["replicaSpecs"][0]["template"]["spec"]["containers"][0]["comand"] = ["x"]
    said = submit(server, made)
    assert said.code == 1 and "spec.replicaSpecs[0]" in said.err, repr(said)
    assert server.get("pj", "wrong") is None
    assert server.cli("submit", "-f", server.folder / "none.yaml").code == 1


def test_submit_tells_all_that_is_wrong_with_file_and_line_and_creates_nothing(server):
    file, other = server.folder / "wrong.yaml", server.folder / "other.yaml"
    file.write_text("""\
apiVersion: v1
kind: ConfigMap
metadata: {name: fine}
---
# a job
apiVersion: batch.tensorstack.dev/v1beta1
kind: PyTorchTrainingJob
metadata:
  name: typed
spec:
  torchrunconfig: {}
  replicaSpec:
  - type: worker
    replicas: two
    template:
      spec:
        containers:
        - name: main
          imag: host
---
apiVersion: v1
kind: Pod
metadata: {name: Bad_Name}
spec:
  containers: []
""")
    other.write_text("apiVersion: v1\nkind: Sercet\nmetadata: {name: s}\n")
    said = server.cli("submit", "-f", file, "-f", other)
    assert said.code == 1 and not said.out, repr(said)
    for wanted in ["wrong.yaml:11: spec.torchrunconfig: there is no such field: did you mean torchrunConfig?",
                   "wrong.yaml:12: spec.replicaSpec: there is no such field: did you mean replicaSpecs?",
                   "wrong.yaml:19: spec.replicaSpecs[0].template.spec.containers[0].imag: there is no such field: "
                   "did you mean image?", "wrong.yaml:14: spec.replicaSpecs[0].replicas: ", "wrong.yaml:23: metadata.name: ",
                   "wrong.yaml:25: spec.containers: ", "other.yaml:2: the server has no kind Sercet"]:
        assert wanted in said.err, repr(said)
    assert server.get("configmap", "fine") is None, "nothing half-made stays"
    single = submit(server, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}, "dta": {}})
    assert single.err == "trainyard: standard input:2: dta: there is no such field: did you mean data?\n", repr(single)


def test_submit_brings_a_namespace_and_what_lives_in_it(server):
    text = yaml.safe_dump_all([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "fresh"}},
                               {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "fresh"}}])
    assert server.cli("submit", "-f", "-", input=text).code == 0
    again = server.cli("submit", "-f", "-", input=text)
    assert again.code == 1 and again.err.count("already exists") == 2, repr(again)


def test_list(server, gate):
    empty = server.cli("list")
    assert empty.code == 0 and "submit" in empty.err, repr(empty)
    submit(server, gated(shell_job("runs", WAIT, count=2)))
    server.wait_phase("runs", "Running")
    heading, row = server.cli("list").out.splitlines()
    assert heading.split() == ["NAME", "KIND", "PHASE", "REPLICAS", "AGE"]
    assert row.split()[:3] == ["runs", "PyTorchTrainingJob", "Running"]
    assert "worker: 2/2" in row
    assert "runs" not in server.cli("list", "-n", "other").out
    everywhere = server.cli("list", "-n", "other", "-A").out.splitlines()
    assert everywhere[0].split()[:2] == ["NAME", "NAMESPACE"] and everywhere[1].split()[:2] == ["runs", "default"]
    assert "NAMESPACE" not in server.cli("list", "-o", "wide").out


def test_output_formats(server):
    submit(server, shell_job("shown", "exit 0"))
    server.wait_phase("shown", "Succeeded")
    server.cli("data", "create", "vol")
    listed = server.cli("list", "-o", "json").json()
    items = listed["items"] if isinstance(listed, dict) else listed
    assert [item["metadata"]["name"] for item in items] == ["shown"]
    assert [doc for doc in yaml.safe_load_all(server.cli("list", "-o", "yaml").out)]
    assert server.cli("get", "shown", "-o", "json").json()["status"]["phase"] == "Succeeded"
    assert yaml.safe_load(server.cli("get", "shown", "-o", "yaml").out)["kind"] == "PyTorchTrainingJob"
    assert server.cli("get", "shown", "-o", "name").out.strip().endswith("shown")
    assert "vol" in json.dumps(server.cli("data", "list", "-o", "json").json())
    assert server.cli("data", "list", "-o", "name").out.strip().endswith("vol")
    bad = server.cli("list", "-o", "xml")
    assert bad.code != 0 and "xml" in bad.err and "json" in bad.err, repr(bad)


def test_status_in_yaml(server):
    assert yaml.safe_load(server.cli("status", "-o", "yaml").out) == server.status()


def test_get_tells_the_whole_story(server):
    submit(server, shell_job("story", "exit 0"))
    server.wait_phase("story", "Succeeded")
    [pod] = server.pods("story")
    wait_for("the last event", lambda: "Succeeded" in dict(server.events("story")))
    shown = server.cli("get", "story").out
    for word in ["Succeeded", pod["metadata"]["name"], "Completed", "NewReplica",
                 "The job has finished successfully."]:
        assert word in shown, shown


def test_logs(server, gate):
    submit(server, gated(shell_job("talk", f"echo replica $RANK; {WAIT}; echo bye", count=2)))
    server.wait_phase("talk", "Running")
    follow = server.stream("trainyard", "logs", "-f", "talk")
    follow.wait_text("replica 0")
    follow.wait_text("replica 1")
    assert "bye" not in follow.text
    gate.open()
    assert follow.wait_end() == 0, repr(follow)
    assert follow.text.count("bye") == 2
    both = server.cli("logs", "talk").out
    assert both.count("replica ") == 2 and both.count("bye") == 2
    assert server.cli("logs", "talk", "-i", "worker-1").out == "replica 1\nbye\n"
    wrong = server.cli("logs", "talk", "-i", "worker-9")
    assert wrong.code == 1 and "worker-9" in wrong.err, repr(wrong)


def test_delete(server):
    for name in ["one", "two"]:
        submit(server, shell_job(name, "sleep 600"))
        server.wait_phase(name, "Running")
    said = server.cli("delete", "one", "two")
    assert said.code == 0 and "one" in said.out and "two" in said.out, repr(said)
    wait_for("the pods to go", lambda: server.list("pods") == [])


@pytest.mark.parametrize("command", [["get", "none"], ["logs", "none"], ["delete", "none"]])
def test_job_that_is_not_there(server, command):
    said = server.cli(*command)
    assert said.code == 1, repr(said)
    assert "none" in said.err and "trainyard list" in said.err, repr(said)


@pytest.mark.parametrize("command", [["list"], ["get", "x"], ["submit", "-f", "-"], ["open"],
                                     ["data", "list"], ["kubeconfig"]])
def test_without_a_server_every_command_says_how_to_start_one(stopped_server, command):
    text = yaml.safe_dump(shell_job("x", "exit 0"))
    said = stopped_server.cli(*command, input=text)
    assert said.code == 1, repr(said)
    assert "trainyard up" in said.err, repr(said)


def test_data_volumes(server):
    folder = server.folder / "mine"
    folder.mkdir()
    assert "data create" in server.cli("data", "list").err
    assert server.cli("data", "create", "plain").out == "volume plain created\n"
    made = server.cli("data", "create", "mine", "--path", folder, "--read-only")
    assert made.code == 0, repr(made)
    rows = [line.split(maxsplit=2) for line in server.cli("data", "list").out.splitlines()]
    assert [row[0] for row in rows] == ["NAME", "mine", "plain"]
    assert all("Bound" in row for row in rows[1:]) and str(folder) in rows[1][2]
    assert "read only" in rows[1][2] and "read, write" in rows[2][2]
    again = server.cli("data", "create", "plain")
    assert again.code == 1 and "plain" in again.err and "already" in again.err, repr(again)
    assert server.cli("data", "create", "plain", "--replace", "--path", folder).code == 0
    assert server.cli("data", "list").out.count(str(folder)) == 2
    missing = server.cli("data", "create", "x", "--path", server.folder / "none")
    assert missing.code == 1 and "none" in missing.err, repr(missing)
    size = server.cli("data", "create", "x", "--size", "huge")
    assert size.code == 1 and "huge" in size.err, repr(size)
    name = server.cli("data", "create", "Bad_Name")
    assert name.code == 1 and "Bad_Name" in name.err, repr(name)


def test_help_and_unknown_words(server):
    shown = server.cli("--help")
    assert shown.code == 0
    for word in ["up", "down", "status", "kubeconfig", "submit", "list", "get", "logs", "delete", "data"]:
        assert f"  {word} " in shown.out, word
    wrong = server.cli("nonsense")
    assert wrong.code != 0 and "nonsense" in wrong.err, repr(wrong)
