"""Logs: every byte once, with its time and stream, whatever happens to the server and the pod."""

import json
import random
import re
import subprocess
import threading
import time

import pytest
from harness import KUBECTL, wait_for
from jobs import WAIT, gated, job, pod, replicas, shell_job
from objects import labelled
from servers import run_server
from servers import servers_of_both as server  # noqa: F401 (a fixture)
from wire import Wire


def finished(server, name, script, **more):
    server.create(pod(name, script, **more))
    server.wait_phase(name, "Succeeded", "pod")
    return name


def lines(text):
    return text.splitlines()


# ---- what kubectl can ask for --------------------------------------------------------------------

@pytest.fixture(scope="module")
def talk(server):
    """Five lines, half a second between the second and the third."""
    return finished(server, "talk", "echo one; echo two >&2; sleep 1.2; echo three; echo four >&2; printf five")


def test_all_of_it(server, talk):
    assert server.kubectl("logs", talk) == "one\ntwo\nthree\nfour\nfive"


@pytest.mark.parametrize("count, expected", [(0, ""), (1, "five"), (2, "four\nfive"), (99, "one\ntwo\nthree\nfour\nfive")])
def test_tail(server, talk, count, expected):
    assert server.kubectl("logs", talk, f"--tail={count}") == expected


def test_limit_bytes(server, talk):
    assert server.kubectl("logs", talk, "--limit-bytes=6") == "one\ntw"
    assert server.kubectl("logs", talk, "--tail=2", "--limit-bytes=4") == "four"


def test_timestamps_and_since_time(server, talk):
    stamped = lines(server.kubectl("logs", talk, "--timestamps"))
    assert [line.split(" ", 1)[1] for line in stamped] == ["one", "two", "three", "four", "five"]
    assert all(re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z ", line) for line in stamped)
    # kubectl's --since-time has whole seconds: the second in which "three" came.
    third = stamped[2].split(".")[0] + "Z"
    assert lines(server.kubectl("logs", talk, f"--since-time={third}"))[-3:] == ["three", "four", "five"]
    assert "one" not in server.kubectl("logs", talk, f"--since-time={third}")


def test_since(server):
    server.create(pod("sincerely", "echo old; sleep 3; echo new; exec sleep 31536300", grace=0))
    wait_for("the second line", lambda: "new" in server.kubectl("logs", "sincerely"), 30)
    assert server.kubectl("logs", "sincerely", "--since=2s") == "new\n"
    assert server.kubectl("logs", "sincerely", "--since=1h") == "old\nnew\n"
    server.kubectl("delete", "pod", "sincerely")


def test_one_stream(server, talk):
    """The query parameter that newer kubectls will send."""
    for stream, expected in [("Stdout", "one\nthree\nfive"), ("Stderr", "two\nfour\n"), ("All", "one\ntwo\nthree\nfour\nfive")]:
        status, body = server.api(f"/api/v1/namespaces/default/pods/{talk}/log?stream={stream}", server.token())
        assert (status, body) == (200, expected)
    status, _ = server.api(f"/api/v1/namespaces/default/pods/{talk}/log?stream=Both", server.token())
    assert status == 400


@pytest.mark.parametrize("query", ["tailLines=-1", "limitBytes=0", "sinceSeconds=-3", "sinceTime=noon",
                                   "sinceSeconds=1&sinceTime=2026-01-01T00:00:00Z"])
def test_requests_that_make_no_sense(server, talk, query):
    status, body = server.api(f"/api/v1/namespaces/default/pods/{talk}/log?{query}", server.token())
    assert status == 400 and query.split("=")[0] in body["message"], body


def test_several_containers(server):
    two = labelled(pod("two", "echo of main"), app="two")
    two["spec"]["containers"].append({**two["spec"]["containers"][0], "name": "side",
                                      "command": ["sh", "-c", "echo of side"]})
    two["spec"]["initContainers"] = [{**two["spec"]["containers"][0], "name": "first",
                                      "command": ["sh", "-c", "echo of first"]}]
    server.create(two)
    server.wait_phase("two", "Succeeded", "pod")
    assert server.kubectl("logs", "two", "-c", "side") == "of side\n"
    assert server.kubectl("logs", "two", "-c", "first") == "of first\n"
    assert sorted(lines(server.kubectl("logs", "two", "--all-containers"))) == ["of first", "of main", "of side"]
    prefixed = server.kubectl("logs", "-l", "app=two", "--all-containers", "--prefix")
    assert sorted(lines(prefixed)) == ["[pod/two/first] of first", "[pod/two/main] of main",
                                       "[pod/two/side] of side"]
    few = server.try_kubectl("logs", "-l", "app=two", "--all-containers", "-f", "--max-log-requests=1")
    assert few.code == 1 and "max-log-requests" in few.err
    unnamed = server.api("/api/v1/namespaces/default/pods/two/log", server.token())
    assert unnamed[0] == 400 and "choose one of: [main side" in unnamed[1]["message"]


def test_previous_run_of_a_container(server):
    again = pod("again", "echo run; exit 1", grace=0)
    again["spec"]["restartPolicy"] = "OnFailure"
    again["spec"]["containers"][0]["command"] = [
        "sh", "-c", "echo run $(ls /tmp | wc -l); touch /tmp/x; [ $(ls /tmp | wc -l) = 1 ] && touch /tmp/y && exit 1; exec sleep 31536301"]
    server.create(again)
    wait_for("the second run", lambda: server.kubectl("logs", "again") == "run 2\n", 40)
    assert server.kubectl("logs", "again", "--previous") == "run 0\n"
    server.kubectl("delete", "pod", "again")


# ---- every byte ----------------------------------------------------------------------------------

def test_bytes_come_back_as_they_were_written(server):
    """Long lines, empty lines, no newline at the end, and what is not text."""
    script = r"printf 'a\n\n\377\000b\n'; head -c 50000 /dev/zero | tr '\0' x; printf '\nend'"
    finished(server, "bytes", script)
    done = subprocess.run([KUBECTL, "logs", "bytes"], capture_output=True,
                          env={**server.env, "KUBECONFIG": f"{server.data}/kubeconfig"})
    assert done.stdout == b"a\n\n\xff\x00b\n" + b"x" * 50000 + b"\nend"


def test_follow_gets_everything_while_it_is_written(server):
    count = 20000
    server.create(pod("fast", f"i=0; while [ $i -lt {count} ]; do echo line $i; i=$((i+1)); done"))
    wait_for("its start", lambda: server.get("pod", "fast")["status"].get("phase") != "Pending")
    seen = server.stream("kubectl", "logs", "-f", "fast")
    assert seen.wait_end(60) == 0
    assert seen.text == "".join(f"line {i}\n" for i in range(count))


def test_all_replicas_of_a_type_are_followed_from_before_they_run(server, gate):
    script = f"{WAIT}; echo said by $RANK"
    server.create(gated(job("team", replicas(script, "ps"), replicas(script, "worker", 2))))
    follower = server.stream("trainyard", "logs", "team", "-f", "-i", "worker")
    server.wait_phase("team", "Running")
    assert follower.process.poll() is None, repr(follower)
    gate.open()
    assert follower.wait_end(30) == 0, repr(follower)
    assert sorted(line for line in follower.text.splitlines() if "said" in line) == [
        "[worker-0] said by 1", "[worker-1] said by 2"], repr(follower)


def test_a_follower_of_a_job_survives_the_server(server):
    """`trainyard logs -f` goes on where it stopped, whenever the server is killed."""
    count = 3000
    server.create(shell_job("numbers", f"i=0; while [ $i -lt {count} ]; do echo line $i; i=$((i+1)); "
                                       "[ $((i % 50)) = 0 ] && sleep 0.05; done; true"))
    wait_for("its pod", lambda: server.pods("numbers") and
             server.pods("numbers")[0]["status"].get("phase") != "Pending")
    follower = server.stream("trainyard", "logs", "-f", "numbers")
    follower.wait_text("line 10")
    for _ in range(3):
        time.sleep(random.uniform(0.05, 0.5))
        server.kill()
        server.up()
    assert follower.wait_end(90) == 0
    said = [line for line in lines(follower.text) if line.startswith("line")]
    assert said == [f"line {i}" for i in range(count)]


# ---- rotation ------------------------------------------------------------------------------------

@pytest.fixture
def small(tools):
    """A server that keeps 64 KiB of a log, in files of 16 KiB."""
    for made in run_server(start=False):
        made.up("--log-limit", "64Ki")
        yield made


def run_folder(server, name):
    uid = server.get("pod", name)["metadata"]["uid"]
    return server.data / "pods" / uid / "containers/main/0"


def test_a_log_is_written_to_several_files_and_read_as_one(stopped_server):
    server = stopped_server
    server.up("--log-limit", "1Mi")
    count = 9000  # about 600 KB of records in files of 256 KiB
    finished(server, "rolls", f"i=0; while [ $i -lt {count} ]; do echo line $i; i=$((i+1)); done")
    files = sorted(file.name for file in run_folder(server, "rolls").glob("log*"))
    assert len(files) >= 2, files
    everything = "".join(f"line {i}\n" for i in range(count))
    assert server.kubectl("logs", "rolls") == everything
    assert server.kubectl("logs", "rolls", "-f") == everything
    for tail in [1, 3000, 6000, 8999, 9000, 9001]:
        assert server.kubectl("logs", "rolls", f"--tail={tail}") == "".join(
            f"line {i}\n" for i in range(max(0, count - tail), count))


def test_the_oldest_of_a_log_that_is_too_long_goes(small):
    server = small
    count = 9000
    finished(server, "long", f"i=0; while [ $i -lt {count} ]; do echo line $i; i=$((i+1)); done")
    kept = sum(file.stat().st_size for file in run_folder(server, "long").glob("log*"))
    assert kept <= 64 * 1024 + 16 * 1024 + 300 * 1024, kept  # a burst is written in one piece
    said = lines(server.kubectl("logs", "long"))
    first = int(said[0].split()[1])
    assert 0 < first and said == [f"line {i}" for i in range(first, count)]


def test_a_follower_reads_across_files_as_they_come(small):
    server = small
    server.create(pod("steps", "i=0; while [ $i -lt 4000 ]; do echo line $i; i=$((i+1)); "
                               "[ $((i % 40)) = 0 ] && sleep 0.01; done; true"))
    wait_for("its start", lambda: server.get("pod", "steps")["status"].get("phase") != "Pending")
    seen = server.stream("kubectl", "logs", "-f", "steps")
    assert seen.wait_end(60) == 0
    said = lines(seen.text)
    assert said == [f"line {i}" for i in range(int(said[0].split()[1]), 4000)]
    assert not (run_folder(server, "steps") / "log").exists(), "nothing was dropped: the test shows nothing"


def test_lines_keep_their_numbers_and_are_searched_where_they_are(small):
    """Also when the oldest are gone, and when the pod is: numbers are those of the whole log."""
    server = small
    count = 9000
    finished(server, "long", f"i=1; while [ $i -le {count} ]; do printf 'line %d \\033[32mLoss\\033[0m 0.%d\\n' $i $i; i=$((i+1)); done")
    uid = server.get("pod", "long")["metadata"]["uid"]
    first = int(lines(server.kubectl("logs", "long"))[0].split()[1])
    assert first > 1
    place = f"/api/v1/namespaces/default/pods/long/log?uid={uid}"

    def ask(query, status=200):
        answer = server.api(f"{place}&{query}", server.token())
        assert answer[0] == status, answer
        return answer[1]

    def check():
        # How many are kept depends on how they came: what comes at once is in one file, however long.
        inside = [str(first + 10 + i) for i in range(3)]
        assert [line.split()[1] for line in lines(ask(f"fromLine={inside[0]}&toLine={inside[2]}"))] == inside
        assert lines(ask("fromLine=1&toLine=10000"))[0].split()[1] == str(first)
        assert ask(f"fromLine=1&toLine={first - 1}") == "", "these are gone"
        assert ask("fromLine=9001") == "" and lines(ask(f"fromLine={first}"))[-1].split()[1] == str(count)
        found = ask("search=loss+0.8888")
        assert (found["kept"], found["last"], found["count"], found["done"]) == (first, count, 1, True), found
        assert [hit["line"] for hit in found["hits"]] == [8888]
        assert ask("search=loss&matchCase=true")["count"] == 0
        every = ask("search=%5Eline+%5Cd%2B+Loss&regex=true&limit=2&fromLine=8990")
        assert every["count"] == 11 and [hit["line"] for hit in every["hits"]] == [8990, 8991], every
        assert ask(f"lineAt={found['hits'][0]['time']}")["line"] <= 8888
        assert "search: " in ask("search=(&regex=true", 400)["message"]
        assert "fromLine" in ask("fromLine=0", 400)["message"]
    check()
    server.kubectl("delete", "pod", "long")
    wait_for("its folder to go", lambda: not (server.data / "pods" / uid).exists())
    check()


# ---- pods that are gone --------------------------------------------------------------------------

def test_the_log_of_a_deleted_pod_is_kept(server):
    finished(server, "leaves", "echo goodbye")
    server.kubectl("delete", "pod", "leaves")
    wait_for("its folder to go", lambda: list((server.data / "logs/default/leaves").glob("*/main/0/log")))
    status, body = server.api("/api/v1/namespaces/default/pods/leaves/log", server.token())
    assert (status, body) == (200, "goodbye\n")


def test_the_log_of_a_replaced_pod_is_the_previous_one(server):
    for word in ["first", "second"]:
        finished(server, "twice", f"echo {word}")
        if word == "first":
            server.kubectl("delete", "pod", "twice")
    assert server.kubectl("logs", "twice") == "second\n"
    assert server.kubectl("logs", "twice", "--previous") == "first\n"


def test_the_log_of_a_deleted_job_is_found(server):
    server.create(shell_job("gone", "echo from $HOSTNAME", count=2))
    server.wait_phase("gone", "Succeeded")
    before = server.cli("logs", "gone").out
    assert before.count("from gone") == 2
    assert server.cli("delete", "gone").code == 0
    wait_for("its pods to go", lambda: not server.pods("gone"))
    wait_for("its logs", lambda: server.cli("logs", "gone").out == before, 5)
    one = server.cli("logs", "gone", "-i", "worker-1")
    assert one.code == 0 and one.out.count("from gone") == 1, repr(one)
    never = server.cli("logs", "never-was")
    assert never.code == 1 and "no job never-was" in never.err


def test_the_log_of_an_earlier_attempt_is_found(server, tmp_path):
    """A replica that failed is replaced by a pod of the same name."""
    server.create(shell_job("tries", "echo try; exit 1", restart="OnFailure",
                            run_policy={"backoffLimit": 1}))
    server.wait_phase("tries", "Failed", timeout=60)
    earlier = server.cli("logs", "tries", "--previous")
    assert earlier.code == 0 and "try\n" in earlier.out, repr(earlier)


def test_kept_logs_belong_to_their_namespace(server):
    server.kubectl("create", "namespace", "apart")
    server.kubectl("create", "-n", "apart", "-f", "-", input=json.dumps(pod("leaves", "echo apart")))
    wait_for("its end", lambda: "Completed" in server.kubectl("get", "pod", "leaves", "-n", "apart") or
             "Succeeded" in server.kubectl("get", "pod", "leaves", "-n", "apart", "-o", "yaml"))
    server.kubectl("delete", "pod", "leaves", "-n", "apart")
    wait_for("the log", lambda: server.api("/api/v1/namespaces/apart/pods/leaves/log",
                                           server.token()) == (200, "apart\n"))
    status, body = server.api("/api/v1/namespaces/apart/pods?kept=true", server.token())
    assert [item["metadata"]["name"] for item in body["items"]] == ["leaves"]
    server.kubectl("delete", "namespace", "apart")


def test_kept_logs_go_when_they_are_too_many(stopped_server):
    server = stopped_server
    server.up("--keep-logs-size", "100Ki")
    for name in ["a", "b", "c"]:
        finished(server, name, "head -c 40000 /dev/zero | tr '\\0' x")
        server.kubectl("delete", "pod", name)
        wait_for("its log", lambda: (server.data / f"logs/default/{name}").exists())
    wait_for("the oldest to go", lambda: not (server.data / "logs/default/a").exists())
    assert (server.data / "logs/default/b").exists()


@pytest.mark.parametrize("flag, value", [("--log-limit", "much"), ("--keep-logs", "14"), ("--keep-logs", "-1d"),
                                         ("--keep-logs-size", "-5")])
def test_wrong_sizes_and_ages_are_refused(stopped_server, flag, value):
    refused = stopped_server.try_up(f"{flag}={value}")
    assert refused.code != 0 and flag in (refused.text + stopped_server.log_tail()), repr(refused)
