"""Others are told when a job has ended: webhooks and commands."""

import json
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from harness import wait_for
from jobs import shell_job

SECRET = "T0K3N-that-nobody-shall-see"


class Listener:
    """A chat's end of a webhook."""

    def __init__(self):
        self.notices, self.answers = [], []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.notices.append((self.path, json.loads(body)))
                self.send_response(outer.answers.pop(0) if outer.answers else 204)
                self.send_header("Location", "http://127.0.0.1:1/elsewhere")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/hooks/{SECRET}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def of(self, name):
        return [notice for _, notice in self.notices if notice["name"] == name]

    def wait(self, name, count=1):
        return wait_for(f"{count} notices of {name}", lambda: len(self.of(name)) >= count and self.of(name))

    def close(self):
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def listener():
    made = Listener()
    yield made
    made.close()


def with_webhook(made, url):
    made["metadata"]["annotations"] = {"trainyard.dev/webhook": url}
    return made


def told(server, name):
    return "trainyard.dev/end-told" in server.get("pj", name)["metadata"].get("annotations", {})


def shown_anywhere(server):
    """Everything of the server's that others may read, or that ends up in a bug report."""
    status = server.status()
    line = open(f"/proc/{status['pid']}/cmdline", "rb").read().decode(errors="replace")
    return line + (server.data / "server.log").read_text() + server.kubectl("get", "events", "-A", "-o", "json")


def test_webhook_and_command_of_the_server_hear_of_every_job(stopped_server, listener):
    notes = stopped_server.folder / "notes"
    stopped_server.up("--webhook", listener.url, "--on-job-end",
                      f'echo "$TRAINYARD_NAMESPACE/$TRAINYARD_JOB $TRAINYARD_PHASE" >> {notes}; cat >> {notes}')
    stopped_server.create(shell_job("good", "exit 0"))
    stopped_server.create(shell_job("bad", "echo words; exit 3", restart="Never"))
    (good,), (bad,) = listener.wait("good"), listener.wait("bad")
    assert listener.notices[0][0] == f"/hooks/{SECRET}"
    assert good["phase"] == "Succeeded" and good["kind"] == "PyTorchTrainingJob", good
    assert bad["phase"] == "Failed" and "3" in bad["reason"] and "default/bad Failed" in bad["text"], bad
    wait_for("notes", lambda: notes.exists() and notes.read_text().count("\n") == 4)
    assert "default/bad Failed\n" in notes.read_text() and '"name":"good"' in notes.read_text()
    wait_for("the mark", lambda: told(stopped_server, "good") and told(stopped_server, "bad"))
    assert SECRET not in shown_anywhere(stopped_server)
    # A restart tells nobody anything twice.
    stopped_server.cli("down")
    stopped_server.up("--webhook", listener.url)
    stopped_server.create(shell_job("later", "exit 0"))
    listener.wait("later")
    assert len(listener.of("good")) == len(listener.of("bad")) == 1


def test_jobs_own_webhook_is_tried_again_and_hears_what_ended_without_a_server(server, listener):
    listener.answers = [503]
    server.create(with_webhook(shell_job("mine", "exit 0"), listener.url))
    server.create(shell_job("other", "exit 0"))
    listener.wait("mine", 2)
    wait_for("the mark", lambda: told(server, "mine"))
    server.wait_event("mine", "EndTold", f"told {listener.url.split('/hooks')[0]} that it has ended")
    assert listener.of("other") == [] and not told(server, "other")
    server.create(with_webhook(shell_job("asleep", "sleep 1"), listener.url))
    server.wait_phase("asleep", "Running")
    server.kill()
    server.up()
    listener.wait("asleep")


def test_webhook_that_refuses_or_leads_elsewhere_is_not_pressed(server, listener):
    listener.answers = [404, 302]
    server.create(with_webhook(shell_job("refused", "exit 0"), listener.url))
    wait_for("the mark", lambda: told(server, "refused"))
    server.create(with_webhook(shell_job("led", "exit 0"), listener.url))
    wait_for("the mark", lambda: told(server, "led"))
    assert len(listener.notices) == 2
    for name, code in [("refused", "404"), ("led", "302")]:
        (message,) = [message for reason, message in server.events(name) if reason == "EndNotTold"]
        assert code in message and SECRET not in message, message
        assert server.get("pj", name)["status"]["phase"] == "Succeeded"


@pytest.mark.parametrize("url,why", [("http://example.org/x", "needs https://"), ("ftp://x", "begins with https://"),
                                     ("https://me:pw@example.org/", "token in the path"), ("nonsense", "https://")])
def test_bad_webhook_is_refused_in_words(stopped_server, url, why):
    said = stopped_server.try_up("--webhook", url)
    assert said.code == 1 and "--webhook" in said.err and why in said.err, repr(said)


def test_job_with_a_bad_webhook_is_told_at_once_and_runs(server):
    server.create(with_webhook(shell_job("job", "exit 0"), f"http://example.org/{SECRET}"))
    message = wait_for("the event", lambda: dict(server.events("job")).get("WebhookRefused"))
    assert "needs https://" in message and SECRET not in message
    server.wait_phase("job", "Succeeded")


def test_command_that_fails_or_hangs_keeps_nothing_up(stopped_server):
    stopped_server.up("--on-job-end", 'echo "some words"; [ $TRAINYARD_JOB = slow ] && sleep 600; exit 9')
    stopped_server.create(shell_job("slow", "exit 0"))
    stopped_server.create(shell_job("quick", "exit 0"))
    message = wait_for("the event", lambda: dict(stopped_server.events("quick")).get("EndNotTold"))
    assert "exited with 9" in message and "hooks.log" in message
    assert "some words" in (stopped_server.data / "hooks.log").read_text()
    stopped_server.wait_phase("slow", "Succeeded")
    assert stopped_server.cli("down", "--all").code == 0
    left = subprocess.run(["pgrep", "-f", str(stopped_server.data)], capture_output=True, text=True).stdout
    assert left == "", "what a hook started ends with the server"
