"""A storm: the server is killed with kill -9 at random moments, again and again, while pods start,
run, log, fail, restart, end and are deleted. Afterwards every exit code, every byte of every log
and every restart must be accounted for, and nothing may be left. STORM_KILLS=1000 makes it longer;
STORM_SEED repeats one."""

import json
import os
import random
import time
from dataclasses import dataclass

from harness import wait_for
from jobs import gated, pod
from processes import all_pids, pids_running, read

KILLS = int(os.environ.get("STORM_KILLS", "50"))
PODS = "/api/v1/namespaces/default/pods"

# Whatever a pod says goes to its log and, as the truth to compare with, to a file.
SAY = 'say() { echo "$1"; echo "$1" >> /gate/$NAME; }; say begin; '


@dataclass
class Expected:
    """What must be true of a pod when all is over."""
    code: int
    runs: int = 1
    deleted: bool = False


def quick(dice):
    code = dice.choice([0, 1, 7, 42])
    return f"{SAY} exit {code}", Expected(code), "Never"


def talker(dice):
    code, lines = dice.choice([0, 3]), dice.randrange(20, 300)
    return (f"{SAY} i=0; while [ $i -lt {lines} ]; do i=$((i+1)); say \"line $i of the talker\"; "
            f"[ $((i % 7)) = 0 ] && sleep 0.02; done; exit {code}"), Expected(code), "Never"


def suicide(dice):
    return f"{SAY} sleep {dice.uniform(0, 0.5):.2f}; kill -KILL $$$$", Expected(137), "Never"


def stumbler(dice):
    """Fails once, then succeeds: the second run comes at once."""
    return (f"{SAY} sleep {dice.uniform(0, 0.3):.2f}; if [ -e /gate/$NAME.again ]; then exit 0; fi; "
            "touch /gate/$NAME.again; exit 9"), Expected(0, runs=2), "OnFailure"


def forker(dice):
    """Leaves a daemon behind, in a session of its own, that must end with it."""
    return (f"{SAY} (setsid sh -c 'sleep 31536055' &) ; sleep {dice.uniform(0, 0.4):.2f}; exit 5",
            Expected(5), "Never")


def sleeper(dice):
    return f"{SAY} (setsid sh -c 'sleep 31536055' &) ; exec sleep 31536055", Expected(0, deleted=True), "Never"


KINDS = [quick, talker, suicide, stumbler, forker, sleeper]


def post(server, name, script, policy):
    made = gated(pod(name, script, grace=0, env=[{"name": "NAME", "value": name}]))
    made["spec"]["restartPolicy"] = policy
    code, body = server.api(PODS, server.token(), "POST", json.dumps(made))
    assert code == 201, body


def test_nothing_is_lost_whenever_the_server_is_killed(server, gate):
    seed = int(os.environ.get("STORM_SEED", random.randrange(10**6)))
    print(f"STORM_SEED={seed}")
    dice = random.Random(seed)
    expected = {}
    for kill in range(KILLS):
        for _ in range(dice.randrange(1, 4)):
            name = f"storm-{len(expected)}"
            script, wanted, policy = dice.choice(KINDS)(dice)
            expected[name] = wanted
            post(server, name, script, policy)
            time.sleep(dice.choice([0, 0, 0.005, 0.05]))
        time.sleep(dice.choice([0, dice.uniform(0, 0.03), dice.uniform(0, 0.3)]))
        for name, wanted in expected.items():
            if wanted.deleted and dice.random() < 0.3:  # a second deletion is of no harm
                code, body = server.api(f"{PODS}/{name}", server.token(), "DELETE")
                assert code in (200, 404), body
        server.kill()
        time.sleep(dice.choice([0, dice.uniform(0, 0.2)]))
        server.up()
    check_deleted(server, [name for name, wanted in expected.items() if wanted.deleted])
    problems = []
    for name, wanted in expected.items():
        if not wanted.deleted:
            problems += check_ended(server, gate, name, wanted)
    assert not problems, f"STORM_SEED={seed}\n" + "\n".join(problems)
    assert pids_running("31536055") == [], "daemons end with their containers"


def check_deleted(server, names):
    uids = {name: (server.get("pod", name) or {}).get("metadata", {}).get("uid") for name in names}
    for name in names:
        server.kubectl("delete", "pod", name, "--ignore-not-found", "--timeout=30s")
    for uid in filter(None, uids.values()):
        wait_for("its folder to go", lambda uid=uid: not (server.data / "pods" / uid).exists())
        assert not [pid for pid in all_pids() if uid in read(f"/proc/{pid}/mountinfo")]


def check_ended(server, gate, name, wanted):
    """What is not as expected of a pod that came to its own end."""
    phase = "Succeeded" if wanted.code == 0 else "Failed"
    ended = server.wait_phase(name, phase, "pod")
    status = ended["status"]["containerStatuses"][0]
    truth = (gate.folder / name).read_text()
    found = {"exit code": (status["state"]["terminated"]["exitCode"], wanted.code),
             "restarts": (status["restartCount"], wanted.runs - 1),
             "runs": (truth.count("begin\n"), wanted.runs)}
    logs = server.kubectl("logs", name)
    if wanted.runs == 2:
        logs = server.kubectl("logs", name, "--previous") + logs
    found["log"] = (logs, truth)
    return [f"{name}: {what} is {is_!r}, should be {should!r}" for what, (is_, should) in found.items()
            if is_ != should]
