"""kubectl exec, attach, cp and run -i, with the real kubectl: once with a server that runs as root,
and once with an ordinary user's."""

import json
import os
import signal
import subprocess
import time

import pytest
from harness import KUBECTL, wait_for
from jobs import pod
from objects import binding, namespace, role
from people import user as add_user
from processes import pids_running
from servers import UserServer
from servers import servers_of_both as server  # noqa: F401 (a fixture)
from terminal import Terminal
from wire import raw_socket


@pytest.fixture(scope="module")
def box(server):
    """A pod that does nothing, for commands to run in."""
    server.create(pod("box", "exec sleep 31536200", grace=1, workingDir="/usr",
                      env=[{"name": "COLOUR", "value": "red"}]))
    server.wait_phase("box", "Running", "pod")
    return "box"


@pytest.fixture
def terminal(server):
    opened = []

    def open_one(*args, **more):
        env = {**server.env, "KUBECONFIG": f"{server.data}/kubeconfig", "TERM": "xterm"}
        opened.append(Terminal([KUBECTL, *args], env, **more))
        return opened[-1]
    yield open_one
    for one in opened:
        one.stop()


def binary(server, *args, input=b""):
    """kubectl with bytes instead of text."""
    env = {**server.env, "KUBECONFIG": f"{server.data}/kubeconfig"}
    return subprocess.run([KUBECTL, *args], env=env, input=input, capture_output=True, timeout=60)


# ---- exec ----------------------------------------------------------------------------------------

def test_a_command_runs_in_the_container(server, box):
    said = server.kubectl("exec", box, "--", "sh", "-c", "hostname; pwd; echo $COLOUR; id -u")
    uid = server.user.pw_uid if isinstance(server, UserServer) else 0
    assert said.split() == ["box", "/usr", "red", str(uid)]


def seconds_until_output(server, box):
    """From the answer to the first of the output, as this process sees it."""
    sock = raw_socket(server)
    sock.sendall((f"GET /api/v1/namespaces/default/pods/{box}/exec?command=true&stdout=true HTTP/1.1\r\nHost: x\r\n"
                  f"Authorization: Bearer {server.token().strip()}\r\nUser-Agent: kubectl/v1.33.4 (linux/amd64)\r\n"
                  "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                  "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: v5.channel.k8s.io\r\n\r\n").encode())
    head = b""
    while b"\r\n\r\n" not in head:
        head += sock.recv(4096)
    assert head.startswith(b"HTTP/1.1 101 ") and head.endswith(b"\r\n\r\n"), head
    answered = time.monotonic()
    assert sock.recv(4096)
    sock.close()
    return time.monotonic() - answered


def test_output_waits_until_kubectl_knows_its_streams(server, box):
    """kubectl before 1.34 drops what comes sooner. On a busy machine we may read the answer late, and the
    output right behind it: then it is looked at again."""
    assert any(seconds_until_output(server, box) > 0.02 for _ in range(5))


def test_it_sees_what_the_container_sees_and_no_more(server, box):
    """Its processes, its hosts file, and not the data folder; with as few rights."""
    said = server.kubectl("exec", box, "--", "sh", "-c",
                          "grep -c box /etc/hosts; cat /proc/1/comm; grep Cap /proc/self/status; "
                          f"grep NoNewPrivs /proc/self/status; ls -A {server.data} | wc -l")
    own = server.kubectl("exec", box, "--", "sh", "-c", "grep -h Cap /proc/2/status")
    assert said.split()[0] == "1" and said.split()[1].startswith("shim-"), said
    assert own.strip() in said, "a command has other rights than the container"
    assert "NoNewPrivs:\t1" in said and said.rstrip().endswith("0"), said


@pytest.mark.parametrize("code", [0, 1, 7, 255])
def test_the_exit_code_is_the_commands(server, box, code):
    assert server.try_kubectl("exec", box, "--", "sh", "-c", f"exit {code}").code == code


def test_a_signal_is_an_exit_code(server, box):
    assert server.try_kubectl("exec", box, "--", "sh", "-c", "kill -9 $$").code == 137


def test_stdout_and_stderr_are_apart(server, box):
    result = server.try_kubectl("exec", box, "--", "sh", "-c", "echo out; echo err >&2")
    assert (result.out, result.err) == ("out\n", "err\n")


def test_a_missing_program_is_said_in_words(server, box):
    result = server.try_kubectl("exec", box, "--", "no-such-program")
    assert result.code == 127
    assert '"no-such-program": executable file not found' in result.err, repr(result)


def test_input_reaches_the_command_byte_for_byte(server, box):
    data = os.urandom(3_000_000)
    done = binary(server, "exec", "-i", box, "--", "cat", input=data)
    assert done.returncode == 0, done.stderr
    assert done.stdout == data


def test_the_end_of_input_is_passed_on(server, box):
    assert binary(server, "exec", "-i", box, "--", "wc", "-c", input=b"12345").stdout == b"5\n"
    # Without -i there is none at all.
    assert binary(server, "exec", box, "--", "wc", "-c", input=b"12345").stdout == b"0\n"


def test_much_output_arrives_whole(server, box):
    done = binary(server, "exec", box, "--", "sh", "-c", "head -c 20000000 /dev/zero; exit 3")
    assert (done.returncode, len(done.stdout)) == (3, 20_000_000)


def test_a_terminal(server, box, terminal):
    at = terminal("exec", "-it", box, "--", "sh", size=(33, 99))
    at.wait_text(r"[#$] $")
    at.wait_size(33, 99)
    at.type("tty -s && echo is-a-tty; echo $TERM\n")
    at.wait_text(r"^is-a-tty\r$")
    at.wait_text(r"^xterm\r$")
    at.resize(40, 120)
    at.process.send_signal(signal.SIGWINCH)
    at.wait_size(40, 120)
    at.type("exit 5\n")
    assert at.wait_end() == 5


def test_control_c_at_the_terminal_reaches_the_command(server, box, terminal):
    at = terminal("exec", "-it", box, "--", "sh", "-c", "trap 'echo caught; exit 9' INT; echo ready; "
                  "while true; do sleep 0.05; done")
    at.wait_text("^ready")
    at.type("\x03")
    assert at.wait_end() == 9
    assert "caught" in at.text


def test_nothing_is_left_when_the_client_goes(server, box):
    for number, flags in [(31536211, []), (31536212, ["-i"])]:
        going = subprocess.Popen(
            [KUBECTL, "exec", *flags, box, "--", "sh", "-c", f"sleep {number} & sleep {number}"],
            env={**server.env, "KUBECONFIG": f"{server.data}/kubeconfig"}, stdin=subprocess.PIPE)
        wait_for("the command", lambda: len(pids_running(f"sleep {number}")) >= 3)
        going.kill()
        going.wait()
        going.stdin.close()
        wait_for("its end", lambda: not pids_running(f"sleep {number}"), 5)


def test_nothing_is_left_when_the_server_is_killed(server, box):
    going = server.stream("kubectl", "exec", box, "--", "sh", "-c", "sleep 31536213 & sleep 31536213")
    wait_for("the command", lambda: pids_running("sleep 31536213"))
    server.kill()
    wait_for("its end", lambda: not [pid for pid in pids_running("sleep 31536213")
                                     if "kubectl" not in open(f"/proc/{pid}/cmdline").read()], 5)
    server.up()
    going.stop()
    assert server.kubectl("exec", box, "--", "echo", "again") == "again\n"


def test_many_commands_at_once(server, box):
    streams = [server.stream("kubectl", "exec", box, "--", "sh", "-c", f"sleep 0.2; exit {i}")
               for i in range(12)]
    assert [one.wait_end(60) for one in streams] == list(range(12))


def test_a_command_ends_with_the_container(server):
    server.create(pod("short", "exec sleep 31536214", grace=0))
    server.wait_phase("short", "Running", "pod")
    going = server.stream("kubectl", "exec", "short", "--", "sleep", "31536215")
    wait_for("the command", lambda: len(pids_running("sleep 31536215")) >= 2)
    server.kubectl("delete", "pod", "short", "--wait=false")
    assert going.wait_end() == 137
    wait_for("nothing left", lambda: not pids_running("sleep 31536215"))


def test_what_cannot_be_executed_says_why(server, box):
    two = pod("two", "exec sleep 31536216", grace=0)
    two["spec"]["containers"].append({**two["spec"]["containers"][0], "name": "side"})
    server.create(two)
    server.wait_phase("two", "Running", "pod")
    assert server.kubectl("exec", "two", "-c", "side", "--", "hostname") == "two\n"
    wrong = server.try_kubectl("exec", "two", "-c", "none", "--", "true")
    assert wrong.code == 1 and "container none" in wrong.err, repr(wrong)
    gone = server.try_kubectl("exec", "nobody", "--", "true")
    assert gone.code == 1 and 'pods "nobody" not found' in gone.err, repr(gone)
    server.create(pod("over", "true"))
    server.wait_phase("over", "Succeeded", "pod")
    ended = server.try_kubectl("exec", "over", "--", "true")
    assert ended.code == 1 and "completed pod" in ended.err, repr(ended)
    server.kubectl("delete", "pod", "two", "over")


def test_spdy_is_refused_in_words(server, box):
    result = server.run([KUBECTL, "exec", box, "--", "true"],
                        env={"KUBECONFIG": f"{server.data}/kubeconfig",
                             "KUBECTL_REMOTE_COMMAND_WEBSOCKETS": "false"})
    assert result.code == 1 and "over WebSocket only" in result.err, repr(result)


def test_port_forward_and_debug_say_what_to_do_instead(server, box):
    forward = server.try_kubectl("port-forward", box, "12345:80", timeout=20)
    assert forward.code == 1 and "trainyard open" in forward.err, repr(forward)
    debug = server.try_kubectl("debug", box, "--image=busybox", "--target=main", timeout=20)
    assert debug.code == 1 and "kubectl exec" in debug.err, repr(debug)


# ---- who may -------------------------------------------------------------------------------------

def test_roles_decide_who_may_execute(server):
    server.create(namespace("team"))
    server.kubectl("create", "-n", "team", "-f", "-", input=json.dumps(pod("box", "exec sleep 31536217", grace=0)))
    server.wait_running = wait_for("the pod", lambda: "Running" in server.kubectl("get", "pod", "box", "-n", "team"))
    viewer, editor = (add_user(server, name, name, "team") for name in ["view", "edit"])
    command = ["exec", "-n", "team", "box", "--", "echo", "hello"]
    assert editor.kubectl(*command) == "hello\n"
    refused = viewer.try_kubectl(*command)
    assert refused.code == 1 and "forbidden" in refused.err and "pods/exec" in refused.err, repr(refused)
    # Roles of old times have only create.
    server.kubectl("create", "-n", "team", "-f", "-", input=json.dumps(role("runner", ["create"], ["pods/exec"])))
    server.kubectl("create", "-n", "team", "-f", "-",
                   input=json.dumps(binding("runner", "Role", "runner", ("User", "view"))))
    assert viewer.kubectl(*command) == "hello\n"
    server.kubectl("delete", "namespace", "team")


# ---- cp ------------------------------------------------------------------------------------------

def test_files_are_copied_both_ways(server, box):
    folder = server.folder / "tree"
    (folder / "deep").mkdir(parents=True, exist_ok=True)
    data = os.urandom(2_000_000)
    (folder / "deep/data.bin").write_bytes(data)
    (folder / "note.txt").write_text("hello\n")
    server.kubectl("cp", folder, f"{box}:/tmp/tree")
    assert server.kubectl("exec", box, "--", "cat", "/tmp/tree/note.txt") == "hello\n"
    assert server.kubectl("exec", box, "--", "wc", "-c", "/tmp/tree/deep/data.bin").startswith("2000000 ")
    back = server.folder / "back"
    server.kubectl("cp", f"{box}:/tmp/tree", back)
    assert (back / "deep/data.bin").read_bytes() == data
    assert (back / "note.txt").read_text() == "hello\n"
    # Whether kubectl tells of a missing file depends on which of its streams ends first.
    server.try_kubectl("cp", f"{box}:/tmp/none", server.folder / "none")
    assert not (server.folder / "none").exists()


# ---- attach --------------------------------------------------------------------------------------

def test_run_with_input(server):
    done = binary(server, "run", "cat-once", "-i", "--rm", "--restart=Never", "--image=host", "--quiet",
                  "--command", "--", "sh", "-c", "echo begin; cat; echo end", input=b"one\ntwo\n")
    assert done.returncode == 0, done
    assert done.stdout.decode().startswith("begin\none\ntwo\nend\n"), done
    wait_for("the pod to go", lambda: server.get("pod", "cat-once") is None)


def test_run_gives_the_exit_code(server):
    done = binary(server, "run", "seven", "-i", "--rm", "--restart=Never", "--image=host", "--quiet",
                  "--command", "--", "sh", "-c", "read line; exit 7", input=b"x\n")
    assert done.returncode == 7, done


def test_run_at_a_terminal(server, terminal):
    at = terminal("run", "shell", "-it", "--rm", "--restart=Never", "--image=host", "--command", "--",
                  "sh", size=(31, 97))
    at.wait_text("command prompt")
    at.wait_size(31, 97)
    at.type("exit\n")
    assert at.wait_end() == 0
    wait_for("the pod to go", lambda: server.get("pod", "shell") is None)


def attached(server, name, line, expected):
    """kubectl attach -i, one line typed, one line seen; then it goes. All that it saw."""
    client = subprocess.Popen([KUBECTL, "attach", "-i", name, "-q"], text=True,
                              env={**server.env, "KUBECONFIG": f"{server.data}/kubeconfig"},
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    client.stdin.write(line)
    client.stdin.flush()
    seen = ""
    while expected not in seen:
        piece = client.stdout.readline()
        assert piece, f"it ended after {seen!r}"
        seen += piece
    client.kill()
    client.wait()
    client.stdin.close()
    client.stdout.close()
    return seen


def test_attach_shows_what_comes_and_feeds_the_input(server):
    server.create(pod("echoes", "echo ready; while read line; do echo got $line; done; echo end",
                      stdin=True, grace=0))
    server.wait_phase("echoes", "Running", "pod")
    assert attached(server, "echoes", "one\n", "got one\n") == "ready\ngot one\n"
    # stdin, not stdinOnce: it is still open, for the next, who sees what is new.
    assert attached(server, "echoes", "two\n", "got two\n") == "got two\n"
    assert server.get("pod", "echoes")["status"]["phase"] == "Running"
    assert server.kubectl("logs", "echoes") == "ready\ngot one\ngot two\n"
    server.kubectl("delete", "pod", "echoes")


def test_attached_input_that_is_for_one_ends_with_them(server):
    server.create(pod("once", "while read line; do echo got $line; done; echo end", stdin=True,
                      stdinOnce=True))
    server.wait_phase("once", "Running", "pod")
    attached(server, "once", "one\n", "got one\n")
    server.wait_phase("once", "Succeeded", "pod")
    assert server.kubectl("logs", "once") == "got one\nend\n"


def test_attach_without_input_follows_the_output(server):
    server.create(pod("counts", "i=0; while [ $i -lt 100000 ]; do echo $i; i=$((i+1)); sleep 0.02; done",
                      grace=0))
    server.wait_phase("counts", "Running", "pod")
    seen = server.stream("kubectl", "attach", "counts", "-q")
    seen.wait_text(r"^\d+\n\d+\n")
    refused = server.try_kubectl("attach", "-i", "counts", timeout=20)
    assert "stdin" in refused.text, repr(refused)
    server.kubectl("delete", "pod", "counts")
    seen.wait_end()
    numbers = [int(line) for line in seen.text.split() if line.isdigit()]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def test_attach_again_after_the_server_was_killed(server):
    server.create(pod("stays", "while read line; do echo got $line; done", stdin=True, grace=0))
    server.wait_phase("stays", "Running", "pod")
    attached(server, "stays", "before\n", "got before\n")
    server.kill()
    server.up()
    assert attached(server, "stays", "after\n", "got after\n") == "got after\n"
    server.kubectl("delete", "pod", "stays")


def test_the_python_clients_stream(server, box):
    """v4.channel.k8s.io, as the official Python client speaks it."""
    kubernetes = pytest.importorskip("kubernetes")
    from kubernetes.stream import stream
    kubernetes.config.load_kube_config(f"{server.data}/kubeconfig")
    api = kubernetes.client.CoreV1Api()
    answer = stream(api.connect_get_namespaced_pod_exec, box, "default",
                    command=["sh", "-c", "echo hello; exit 4"], stdout=True, stderr=True, stdin=False,
                    tty=False, _preload_content=False)
    answer.run_forever(timeout=10)
    assert answer.read_stdout() == "hello\n"
    assert answer.returncode == 4
