"""The audit log: who did what to what."""

import json
import re
import stat
import subprocess
import time

from console_client import Browser
from harness import wait_for
from jobs import pod
from objects import SLEEP, namespace
from people import certificate, user
from wire import Wire

MAPS = "/api/v1/namespaces/default/configmaps"


def audit(server, *flags):
    """What `trainyard audit -o json` tells."""
    done = server.cli("audit", "-o", "json", *flags)
    assert done.code == 0, repr(done)
    return [json.loads(line) for line in done.out.splitlines()]


def said(entry):
    """verb, resource[/subresource], name, code"""
    what = entry.get("resource", entry.get("path"))
    if "subresource" in entry:
        what += "/" + entry["subresource"]
    return entry["verb"], what, entry.get("name"), entry["code"]


def config_map(name):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"a": "hush-hush"}}


def wait_said(server, wanted, *flags):
    """Lines come a moment after answers, by a thread."""
    return wait_for(f"{wanted} in the audit log",
                    lambda: next((entry for entry in audit(server, *flags) if said(entry) == wanted), None), 5)


def test_what_an_editor_makes_changes_and_is_refused(server):
    server.create(namespace("crew"))
    server.create(pod("other", SLEEP))
    jo = user(server, "jo", "edit", "crew")
    jo.kubectl("create", "configmap", "plan", "-n", "crew", "--from-literal=a=hush-hush")
    jo.kubectl("label", "configmap", "plan", "-n", "crew", "a=b")
    jo.kubectl("create", "secret", "generic", "key", "-n", "crew", "--from-literal=a=hush-hush")
    jo.kubectl("get", "secret", "key", "-n", "crew")
    jo.kubectl("get", "configmap", "plan", "-n", "crew")
    jo.kubectl("create", "configmap", "never", "-n", "crew", "--dry-run=server")
    jo.kubectl("create", "token", "default", "-n", "crew")
    jo.kubectl("delete", "configmap", "plan", "-n", "crew")
    assert jo.try_kubectl("delete", "pod", "other").code == 1
    server.wait_phase("other", "Running", "pod")
    assert server.try_kubectl("exec", "other", "--", "true").code == 0
    wait_said(server, ("delete", "pods", "other", 403), "--user", "jo")
    told = [said(entry) for entry in audit(server, "--user", "jo")]
    assert told == [
        ("create", "configmaps", "plan", 201), ("patch", "configmaps", "plan", 200), ("create", "secrets", "key", 201),
        ("get", "secrets", "key", 200), ("create", "serviceaccounts/token", "default", 201),
        ("delete", "configmaps", "plan", 200), ("delete", "pods", "other", 403)]
    assert [said(entry)[:2] for entry in audit(server, "--user", "jo", "-n", "default")] == [("delete", "pods")]
    session = wait_said(server, ("get", "pods/exec", "other", 101), "--verb", "exec")
    assert session["user"] == "admin" and re.fullmatch(r"127\.0\.0\.1:\d+", session["source"])
    users = {entry["user"] for entry in audit(server)}
    assert users <= {"admin", "jo"}, "what our own controllers do is not in it"
    file = server.data / "audit.log"
    text = file.read_text()
    assert "hush" not in text and server.token().strip() not in text and jo.user["token"] not in text
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_the_table_and_what_is_wanted_of_it(server):
    wire = user(server, "kim", "edit", "default").wire()
    answer = wire.ask("POST", MAPS, config_map("plan"))
    assert answer.code == 201, repr(answer)
    assert wait_said(server, ("create", "configmaps", "plan", 201))["id"] == answer.headers["Audit-Id"]
    table = server.cli("audit", "--user", "kim", "--since", "1h")
    assert re.fullmatch(r"TIME +WHO +WHAT +ON +RESULT *\n"
                        r"20\S+Z   kim +create +configmaps -n default plan +ok\n", table.out), repr(table)
    none = server.cli("audit", "--user", "nobody")
    assert none.code == 0 and none.out == "" and none.err, repr(none)
    wrong = server.cli("audit", "--since", "yesterday")
    assert wrong.code == 1 and "--since" in wrong.err, repr(wrong)
    follow = server.stream("trainyard", "audit", "-f", "--verb", "delete")
    assert wire.ask("DELETE", f"{MAPS}/plan").code == 200
    follow.wait_text(r"kim +delete +configmaps -n default plan +ok")
    elsewhere = server.cli("audit", "--data-dir", server.folder / "none")
    assert elsewhere.code == 1 and "audit.log" in elsewhere.err, repr(elsewhere)


def test_strangers_and_logins_are_told(server):
    assert server.api(MAPS)[0] == 401
    assert server.api(MAPS, token="ty_wrong")[0] == 401
    browser = Browser(server.console)
    link = server.cli("open").out.strip().split()[-1]
    assert browser.follow(link)[0] == 200
    assert Browser(server.console).follow(link)[0] == 401, "used already"
    assert browser.ask(MAPS, "POST", json.dumps(config_map("plan")), Content_Type="application/json",
                       Origin=f"http://{server.console}")[0] == 201
    assert browser.ask("/logout", "POST", "{}", Origin=f"http://{server.console}")[0] == 200
    wait_said(server, ("logout", "/logout", None, 200))
    told = [(entry["user"], *said(entry)) for entry in audit(server)]
    assert told[-7:] == [
        ("", "list", "configmaps", None, 401), ("", "list", "configmaps", None, 401),
        ("admin", "post", "/login-links", None, 200), ("admin", "login", "/login", None, 200),
        ("", "login", "/login", None, 401), ("admin", "create", "configmaps", "plan", 201),
        ("admin", "logout", "/logout", None, 200)]
    assert link.split("token=")[-1] not in (server.data / "audit.log").read_text()


def test_an_odd_name_forges_no_line(server):
    odd = 'eve","code":200}\n{"user":"bob","verb":"delete'
    eve = certificate(server, odd)
    assert eve.wire().ask("DELETE", f"{MAPS}/x").code == 403
    acting = 'bob   delete   pods\tx","user":"mallory'
    assert Wire(server).ask("DELETE", f"{MAPS}/y", Impersonate_User=acting).code == 403
    wait_said(server, ("delete", "configmaps", "y", 403))
    lines = (server.data / "audit.log").read_text().splitlines()
    entries = [json.loads(line) for line in lines]
    assert {entry["user"] for entry in entries} == {odd, "admin"}
    assert [entry["as"] for entry in entries if "as" in entry] == [acting]
    assert audit(server, "--user", "bob") == []
    table = server.cli("audit")
    assert len(table.out.splitlines()) == len(entries) + 1, repr(table)
    assert re.search(r'^20\S+Z   "eve\\",\\"code\\".*\\x0a', table.out, re.M), repr(table)


def test_a_killed_server_loses_no_line_but_the_last_moment(server):
    for number in range(40):
        server.create(config_map(f"early-{number}"))
    time.sleep(0.3)
    for number in range(10):
        server.create(config_map(f"late-{number}"))
    server.kill()
    server.up()
    server.create(config_map("after"))
    wait_said(server, ("create", "configmaps", "after", 201))
    lines = [json.loads(line) for line in (server.data / "audit.log").read_text().splitlines()]
    made = [entry["name"] for entry in lines if entry["verb"] == "create" and entry.get("resource") == "configmaps"]
    late = made[40:-1]
    assert made[:40] == [f"early-{number}" for number in range(40)] and made[-1] == "after"
    assert late == [f"late-{number}" for number in range(len(late))]


def test_full_files_make_way(stopped_server):
    server = stopped_server
    refused = server.try_up("--audit-log-size", "1")
    assert refused.code == 1 and "--audit-log-size" in refused.text, repr(refused)
    server.up("--audit-log-size", "16Ki", "--keep-audit", "2")
    for number in range(400):
        server.create(config_map(f"a-{number}"))
    wait_said(server, ("create", "configmaps", "a-399", 201))
    files = sorted(server.data.glob("audit.log*"))
    assert [file.name for file in files] == ["audit.log", "audit.log.1", "audit.log.2"]
    assert all(file.stat().st_size <= 16 << 10 and stat.S_IMODE(file.stat().st_mode) == 0o600 for file in files)
    names = [entry["name"] for entry in audit(server)]
    assert names == [f"a-{number}" for number in range(400 - len(names), 400)] and len(names) > 60


def test_a_folder_that_takes_no_more_stops_nobody(server):
    """As on a full disk: what cannot be written is told once, and counted."""
    server.create(config_map("before"))
    wait_said(server, ("create", "configmaps", "before", 201))
    log = server.data / "audit.log"
    log.unlink()
    log.mkdir()  # where nothing can be written, also by root
    for number in range(5):
        server.create(config_map(f"lost-{number}"))
    wait_for("it to be told", lambda: "lines of the audit log are lost" in (server.data / "server.log").read_text(), 5)

    def lost():
        return "trainyard_audit_lines_lost_total 5" in server.kubectl("get", "--raw", "/metrics")
    wait_for("the metric", lost, 5)
    log.rmdir()
    server.create(config_map("after"))
    assert wait_said(server, ("create", "configmaps", "after", 201))["leftOut"] == 5
    assert (server.data / "server.log").read_text().count("lines of the audit log are lost") == 1
    assert "(5 before this were not written down)" in server.cli("audit").out


def test_others_on_the_machine_read_nothing(server):
    server.create(config_map("plan"))
    log = wait_for("the log", lambda: (server.data / "audit.log").exists() and server.data / "audit.log", 5)
    server.folder.chmod(0o755)  # only the data folder is between
    spy = subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "cat", str(log)],
                         capture_output=True, text=True)
    assert spy.returncode != 0 and spy.stdout == "" and "denied" in spy.stderr, spy
