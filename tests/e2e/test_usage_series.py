"""What pods use over time, on disk: right, and still there when the server was killed and the job deleted."""

import re
import time

import pytest
from harness import wait_for
from jobs import job, replicas, shell_job

API = "/apis/usage.trainyard.dev/v1/namespaces/default/podusages"
# Burns what is asked for, and says now and then what getrusage says, and when.
BURN = """
import resource, sys, time
share = float(sys.argv[1])
hold = bytearray(64 << 20)
for i in range(0, len(hold), 4096): hold[i] = 1
while True:
    begun = time.time()
    while time.time() - begun < 0.1 * share: pass
    time.sleep(0.1 * (1 - share))
    used = resource.getrusage(resource.RUSAGE_SELF)
    print(f"at {time.time():.6f} used {used.ru_utime + used.ru_stime:.6f}", flush=True)
"""


def burner(name, share, count=1):
    worker = replicas("", count=count)
    container = worker["template"]["spec"]["containers"][0]
    container["command"] = ["python3", "-u", "-c", BURN, str(share)]
    return job(name, worker)


def usage(server, query):
    status, told = server.api(f"{API}?{query}", server.token())
    assert status == 200, told
    return told["items"]


def known(values):
    return [value for value in values if value is not None]


def known_steps(server, query):
    return sum(len(known(item["usage"]["cpu"]["mean"])) for item in usage(server, query))


def stamp(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{int(seconds % 1 * 1e6):06d}Z"


def rusage(server, pod, since):
    """(time, CPU seconds) of each line that was logged after `since`."""
    log = server.kubectl("logs", pod)
    found = [(float(at), float(used)) for at, used in re.findall(r"at ([\d.]+) used ([\d.]+)", log)]
    return [line for line in found if line[0] > since]


def test_usage_is_what_getrusage_says(server):
    server.create(burner("load", 0.5))
    server.wait_phase("load", "Running")
    (pod,) = [each["metadata"]["name"] for each in server.pods("load")]
    wait_for("it to burn", lambda: rusage(server, pod, 0), 30)
    began = time.time() + 2  # its start is not what it goes on with
    time.sleep(25)  # long enough for a sample more or less not to count
    lines = rusage(server, pod, began)
    (first, used_before), (last, used_after) = lines[0], lines[-1]
    wait_for("the last samples", lambda: known_steps(server, f"pod={pod}&from={stamp(last)}") > 2, 20)
    query = f"pod={pod}&from={stamp(first)}&to={stamp(last)}&points=1"
    (item,) = usage(server, query)
    (cpu,) = item["usage"]["cpu"]["mean"]
    assert cpu == pytest.approx((used_after - used_before) / (last - first), rel=0.05), (lines[0], lines[-1])
    assert item["usage"]["memory"]["mean"][0] > 64 << 20
    assert item["usage"]["threads"]["mean"][0] == 1
    assert item["usage"]["cpu"]["low"][0] <= cpu <= item["usage"]["cpu"]["high"][0]


def test_usage_outlives_the_server_and_the_job(server):
    server.create(burner("long", 0.2, count=2))
    server.wait_phase("long", "Running")
    uid = server.get("pj", "long")["metadata"]["uid"]
    # What a server holds back is written after 20 seconds at the latest.
    wait_for("something on disk", lambda: len(list((server.data / "usage").glob("*.series"))) == 2, 60)
    before = usage(server, f"owner={uid}&sum=true")[0]
    recorded = time.time()
    server.kill()
    server.up()
    after = usage(server, f"owner={uid}&sum=true")[0]
    assert after["begin"] == before["begin"] and after["pods"] == 2, "the curve goes on, it does not begin anew"
    assert known(after["usage"]["cpu"]["mean"]), after
    wait_for("more of it", lambda: known_steps(server, f"owner={uid}&sum=true&from={stamp(recorded)}") > 3, 30)
    four = {how: max(known(usage(server, f"owner={uid}&aggregate={how}&points=1")[0]["usage"]["memory"]["mean"]))
            for how in ["sum", "mean", "min", "max"]}
    assert four["min"] <= four["mean"] <= four["max"] < four["sum"]
    assert four["sum"] == pytest.approx(2 * four["mean"], rel=0.01)
    assert server.cli("delete", "long").code == 0
    wait_for("its pods to go", lambda: not server.pods("long"), 30)
    wait_for("an end", lambda: usage(server, "job=long&sum=true")[0].get("end"), 10)
    gone = usage(server, "job=long&sum=true")[0]
    assert gone["begin"] == before["begin"] and gone["pods"] == 2
    server.kill()
    server.up()
    assert usage(server, "job=long&sum=true")[0] == gone, "it stays, and does not move"
    assert known(usage(server, f"owner={uid}&container=main&metrics=threads")[0]["usage"]["threads"]["mean"])


def test_torn_and_foreign_files_cost_nothing_else(server):
    server.create(burner("torn", 0.2))
    server.wait_phase("torn", "Running")
    folder = server.data / "usage"
    wait_for("something on disk", lambda: list(folder.glob("*.series")), 60)
    (file,) = folder.glob("*.series")
    server.kill()
    whole = file.read_bytes()
    file.write_bytes(whole + whole[:57])  # a block that was being written
    (folder / "nonsense.about").write_text('{"uid": [')
    (folder / "nonsense.series").write_bytes(b"\0" * 5000)
    server.up()
    wait_for("the curve to go on", lambda: (items := usage(server, "job=torn")) and "end" not in items[0], 30)
    known_before = known_steps(server, "job=torn")
    assert known_before > 5, "what was written before is there"
    wait_for("more", lambda: known_steps(server, "job=torn") > known_before + 3, 30)


def test_what_is_kept_is_bounded(server):
    server.cli("down")
    server.up("--keep-usage-size", "0")
    server.create(shell_job("brief", "end=$(($(date +%s) + 4)); while [ $(date +%s) -lt $end ]; do :; done"))
    server.wait_phase("brief", "Succeeded")
    wait_for("its usage", lambda: usage(server, "job=brief"), 10)
    server.cli("down")
    server.up("--keep-usage-size", "0")
    wait_for("nothing to be kept", lambda: not usage(server, "job=brief"), 20)


def test_wrong_flags_are_refused(server):
    server.cli("down")
    for flag, value in [("--keep-usage", "30"), ("--keep-usage", "-1d"), ("--keep-usage-size", "-5")]:
        refused = server.try_up(flag, value)
        assert refused.code != 0 and flag in refused.err, repr(refused)
    server.up()
