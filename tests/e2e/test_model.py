"""Random verbs and watches from several clients, with kill -9 in between, against a model.

What must hold: no acknowledged write is lost, none is torn, the resourceVersion never goes back,
and a watch shows every change once, in order, also over a restart. MODEL_SEED=n repeats one run,
MODEL_RUNS=n makes more of them.
"""

import os
import random

import pytest
from harness import wait_for
from model import COLLECTIONS, KINDS, NAMES, Client, Connection, Watcher, content, key, version

RUNS = int(os.environ.get("MODEL_RUNS", "40"))
SEED = os.environ.get("MODEL_SEED")
# Processes that share the tests of one run must agree on their names.
CHANCE = random.Random(os.environ.get("PYTEST_XDIST_TESTRUNUID"))
SEEDS = [int(SEED)] if SEED else [CHANCE.randrange(1_000_000_000) for _ in range(RUNS)]
CLIENTS = 4
STEPS = 30


@pytest.fixture(scope="module")
def model_server(shared_server):
    connection = Connection(shared_server)
    status, answer = connection.call("POST", "/api/v1/namespaces", {"metadata": {"name": "other"}})
    assert status == 201, answer
    return shared_server


def list_all(server):
    """What there is of all kinds, and the highest version that a list named."""
    connection = Connection(server)
    state, listed = {}, 0
    for kind in KINDS:
        status, answer = connection.call("GET", COLLECTIONS[kind])
        assert status == 200, answer
        listed = max(listed, version(answer))
        for item in answer["items"]:
            if item["metadata"]["name"] in NAMES:
                state[key(kind, item)] = item
    return state, listed


def replay(before, events):
    """The state that the events lead to, and each step on the way; each must be possible."""
    state = dict(before)
    history = {}
    for seen, change, where, obj in events:
        if change == "ADDED":
            assert where not in state, f"{where} was added at {seen} but was there"
        else:
            assert where in state, f"{where} was {change} at {seen} but was not there"
            assert state[where]["metadata"]["uid"] == obj["metadata"]["uid"], f"{where} at {seen}"
        history[seen] = (where, state.get(where), obj)
        if change == "DELETED":
            del state[where]
        else:
            state[where] = obj
    return state, history


def check_write(write, watcher, history):
    """An acknowledged write is in the history as it was answered, on top of what it says."""
    seen, verb, where, obj, base = write
    if seen in history:
        there, previous, stored = history[seen]
        assert there == where, f"version {seen} is {there}, and was answered for {where}"
        assert content(stored) == content(obj), f"{verb} {where} at {seen} was torn"
        assert verb != "create" or previous is None, f"create {where} at {seen} replaced {previous}"
        if base is not None:
            assert version(previous) == base, f"update of {where} at {seen} was not based on {base}"
        return
    # Either it changed nothing and has the version of an earlier write, or it fell into a gap: then
    # the list after the gap shows it, something newer, or nothing where it was deleted since.
    for began, state, _ in watcher.segments[1:]:
        if seen <= began:
            found = state.get(where)
            assert found is None or version(found) >= seen, f"{verb} {where} at {seen} is lost"
            return
    assert verb != "create", f"create {where} at {seen} is lost"


@pytest.mark.parametrize("seed", SEEDS)
def test_random_work_is_as_the_model_says(model_server, seed):
    print(f"MODEL_SEED={seed}")
    chance = random.Random(seed)
    before, since = list_all(model_server)
    watchers = [Watcher(model_server, kind, since, {k: o for k, o in before.items() if k[0] == kind})
                for kind in KINDS]
    for watcher in watchers:
        watcher.start()
    clients = []
    for _ in range(chance.randrange(1, 4)):
        batch = [Client(model_server, chance.random(), STEPS) for _ in range(CLIENTS)]
        clients += batch
        for client in batch:
            client.start()
        if chance.random() < 0.4:
            batch[0].join(chance.random() * 0.15)
            model_server.kill()
            for client in batch:
                client.join()
            model_server.up()
        for client in batch:
            client.join()

    acknowledged = max([write[0] for client in clients for write in client.writes], default=0)
    after, listed = list_all(model_server)
    assert listed >= acknowledged, "the resourceVersion went back"
    finish(model_server, watchers)
    for watcher in watchers:
        assert not watcher.problems, watcher.problems
        versions = [event[0] for event in watcher.events]
        assert versions == sorted(set(versions)), "an event came twice or out of order"
        history = {}
        for _, began_with, events in watcher.segments:
            state, steps = replay(began_with, events)
            history |= steps
        now = {k: content(o) for k, o in after.items() if k[0] == watcher.kind}
        assert {k: content(o) for k, o in state.items() if k[2] in NAMES} == now
        for client in clients:
            assert not client.wrong, client.wrong
            for write in client.writes:
                if write[2][0] == watcher.kind:
                    check_write(write, watcher, history)


def finish(server, watchers):
    """A last object of each kind: when its events have come, all before it have."""
    connection = Connection(server)
    for watcher in watchers:
        path = COLLECTIONS[watcher.kind].replace(f"/{watcher.kind}", f"/namespaces/default/{watcher.kind}")
        body = {"metadata": {"name": "mark"}}
        if watcher.kind == "podgroups":
            body["spec"] = {"minMember": 1}
        status, made = connection.call("POST", path, body)
        assert status == 201, made
        connection.call("DELETE", f"{path}/mark")
        wait_for("the last mark", lambda watcher=watcher, made=made: watcher.problems or (
            watcher.since > version(made)))
        watcher.stopping = True
