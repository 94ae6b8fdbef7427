"""Lists and watches over the wire: consistent pages, places in history, bookmarks, streamed lists."""

import json
import os
import re
import threading
import time

import pytest
from harness import wait_for
from jobs import config_map
from objects import labelled
from wire import Watch, Wire

MAPS = "/api/v1/namespaces/default/configmaps"
MERGE = "application/merge-patch+json"


@pytest.fixture
def wire(shared_server):
    return Wire(shared_server)


@pytest.fixture
def group(wire, request):
    """Five config maps labelled set=NAME, and a query for them."""
    name = re.sub(r"[^a-z0-9]+", "-", request.node.name.removeprefix("test_"))[-60:].strip("-")
    for i in range(5):
        answer = wire.ask("POST", MAPS, labelled(config_map(f"{name}-{i}", n="0"), set=name))
        assert answer.code == 201, repr(answer)
    return {"labelSelector": f"set={name}"}


def names(answer):
    assert answer.code == 200, repr(answer)
    return [item["metadata"]["name"] for item in answer.json["items"]]


def version(answer):
    return answer.json["metadata"]["resourceVersion"]


def change(wire, name, n):
    answer = wire.ask("PATCH", f"{MAPS}/{name}", {"data": {"n": str(n)}}, Content_Type=MERGE)
    assert answer.code == 200, repr(answer)
    return answer.json["metadata"]["resourceVersion"]


# ---- pages ---------------------------------------------------------------------------------------


def test_pages_are_one_snapshot_while_objects_change(wire, group):
    whole = wire.get(MAPS, group)
    first = wire.get(MAPS, {**group, "limit": 2})
    assert names(first) == names(whole)[:2]
    wire.ask("DELETE", f"{MAPS}/{names(whole)[3]}")
    change(wire, names(whole)[4], 9)
    added = labelled(config_map(names(whole)[4] + "-new", n="0"), set=group["labelSelector"][4:])
    assert wire.ask("POST", MAPS, added).code == 201
    pages, token = [first], first.json["metadata"]["continue"]
    while token:
        page = wire.get(MAPS, {**group, "limit": 2, "continue": token})
        assert page.code == 200 and version(page) == version(first), repr(page)
        pages.append(page)
        token = page.json["metadata"].get("continue")
    items = [item for page in pages for item in page.json["items"]]
    assert items == whole.json["items"], "as it was when the first page was read"


def test_the_number_of_what_remains(wire, group):
    first = wire.get(MAPS, {"limit": 1})
    whole = wire.get(MAPS)
    assert first.json["metadata"]["remainingItemCount"] == len(whole.json["items"]) - 1
    assert "remainingItemCount" not in whole.json["metadata"] and not whole.json["metadata"].get("continue")


def test_pages_and_versions_do_not_mix(wire, group):
    first = wire.get(MAPS, {**group, "limit": 2})
    token = first.json["metadata"]["continue"]
    answer = wire.get(MAPS, {**group, "limit": 2, "continue": token, "resourceVersion": version(first)})
    assert answer.code == 400 and "continue" in answer.message, repr(answer)
    assert wire.get(MAPS, {**group, "continue": token[:-4] + "AAAA"}).code in (400, 410)


def test_pages_after_a_restart_go_on_or_say_410(server):
    wire = Wire(server)
    for i in range(4):
        wire.ask("POST", MAPS, labelled(config_map(f"p-{i}"), set="pages"))
    query = {"labelSelector": "set=pages", "limit": 2}
    first = wire.get(MAPS, query)
    server.kill()
    server.up()
    second = Wire(server).get(MAPS, {**query, "continue": first.json["metadata"]["continue"]})
    if second.code == 410:
        assert second.json["reason"] == "Expired", repr(second)
        token = second.json["metadata"].get("continue")
        if token:  # a place to go on from, without the promise of one snapshot
            assert names(Wire(server).get(MAPS, {**query, "continue": token})) == ["p-2", "p-3"]
    else:
        assert names(second) == ["p-2", "p-3"]


# ---- versions ------------------------------------------------------------------------------------


def test_lists_by_version(wire, group):
    old = version(wire.get(MAPS, group))
    one = names(wire.get(MAPS, group))[0]
    new = change(wire, one, 1)
    at = lambda match, at: wire.get(MAPS, {**group, "resourceVersion": at, "resourceVersionMatch": match})  # noqa: E731
    newer = at("NotOlderThan", new)
    assert newer.json["items"][0]["data"] == {"n": "1"} and int(version(newer)) >= int(new)
    exact = at("Exact", old)
    if exact.code == 410:
        assert exact.json["reason"] == "Expired", repr(exact)
    else:
        assert exact.json["items"][0]["data"] == {"n": "0"} and version(exact) == old, repr(exact)
    assert names(wire.get(MAPS, {**group, "resourceVersion": "0"}))[0] == one


@pytest.mark.parametrize("query", [
    {"resourceVersionMatch": "Exact"}, {"resourceVersionMatch": "NotOlderThan"},
    {"resourceVersion": "0", "resourceVersionMatch": "Exact"},
    {"resourceVersion": "5", "resourceVersionMatch": "Nonsense"},
    {"watch": "1", "resourceVersionMatch": "NotOlderThan", "resourceVersion": "5"},
    {"watch": "1", "sendInitialEvents": "true"},
    {"sendInitialEvents": "true", "resourceVersionMatch": "NotOlderThan"}])
def test_versions_that_make_no_sense(wire, query):
    answer = wire.get(MAPS, query)
    assert answer.code == 422 and answer.json["reason"] == "Invalid", repr(answer)
    assert "resourceVersionMatch" in answer.message or "sendInitialEvents" in answer.message


def test_a_version_of_the_future(wire):
    far = str(int(version(wire.get(MAPS))) + 1_000_000)
    answer = wire.get(MAPS, {"resourceVersion": far, "resourceVersionMatch": "NotOlderThan"})
    assert answer.code == 504 and answer.json["reason"] == "Timeout", repr(answer)
    assert "Too large resource version" in answer.message, repr(answer)
    assert answer.json["details"]["causes"][0]["reason"] == "ResourceVersionTooLarge", repr(answer)


# ---- watches -------------------------------------------------------------------------------------


def test_a_watch_from_a_version_sees_each_later_event_once(shared_server, wire, group):
    whole = wire.get(MAPS, group)
    first, second = names(whole)[:2]
    change(wire, first, 1)
    watch = Watch(shared_server, MAPS, {**group, "resourceVersion": version(whole)})
    change(wire, first, 2)
    wire.ask("DELETE", f"{MAPS}/{second}")
    events = [watch.next() for _ in range(3)]
    assert watch.words() == [("MODIFIED", first), ("MODIFIED", first), ("DELETED", second)]
    assert [event["object"].get("data") for event in events[:2]] == [{"n": "1"}, {"n": "2"}]
    versions = [int(event["object"]["metadata"]["resourceVersion"]) for event in events]
    assert versions == sorted(set(versions)) and versions[0] > int(version(whole))
    watch.close()


@pytest.mark.parametrize("start", [{}, {"resourceVersion": "0"}], ids=["unsaid", "zero"])
def test_a_watch_from_no_version_begins_with_what_is_there(shared_server, wire, group, start):
    whole = wire.get(MAPS, group)
    watch = Watch(shared_server, MAPS, {**group, **start})
    for _ in whole.json["items"]:
        watch.next()
    assert watch.words() == [("ADDED", name) for name in names(whole)]
    change(wire, names(whole)[0], 1)
    assert watch.next()["type"] == "MODIFIED"
    watch.close()


def test_an_object_that_stops_matching_is_deleted_for_that_watcher(shared_server, wire, group):
    name = names(wire.get(MAPS, group))[0]
    start = version(wire.get(MAPS, group))
    watch = Watch(shared_server, MAPS, {**group, "resourceVersion": start})
    label = lambda value: wire.ask("PATCH", f"{MAPS}/{name}", {"metadata": {"labels": {"set": value}}},  # noqa: E731
                                   Content_Type=MERGE)
    label("elsewhere")
    gone = watch.next()
    assert gone["type"] == "DELETED" and gone["object"]["metadata"]["labels"]["set"] == group["labelSelector"][4:], \
        "as it was when it still matched"
    change(wire, name, 5)
    label(group["labelSelector"][4:])
    assert watch.next()["type"] == "ADDED"
    watch.close()


def test_a_watch_by_name(shared_server, wire, group):
    first, second = names(wire.get(MAPS, group))[:2]
    watch = Watch(shared_server, MAPS, {"fieldSelector": f"metadata.name={second}"})
    assert watch.next()["object"]["metadata"]["name"] == second
    change(wire, first, 1)
    change(wire, second, 1)
    assert watch.next()["object"]["metadata"]["name"] == second
    watch.close()


def test_a_watch_ends_when_its_time_is_over(shared_server, group):
    began = time.monotonic()
    watch = Watch(shared_server, MAPS, {**group, "timeoutSeconds": "2", "resourceVersion": "0"})
    while watch.next(timeout=10) is not None:
        pass
    assert 1.5 < time.monotonic() - began < 6
    watch.close()


def test_bookmarks_come_before_the_end(shared_server, wire, group):
    start = version(wire.get(MAPS, group))
    watch = Watch(shared_server, MAPS, {**group, "resourceVersion": start, "allowWatchBookmarks": "true",
                                        "timeoutSeconds": "5"})
    other = wire.ask("POST", MAPS, {**config_map("x"), "metadata": {"generateName": "unseen-"}})
    seen = []
    while (event := watch.next(timeout=15)) is not None:
        seen.append(event)
    assert {event["type"] for event in seen} == {"BOOKMARK"}, seen
    last = seen[-1]["object"]
    assert last["kind"] == "ConfigMap" and last["apiVersion"] == "v1"
    assert int(last["metadata"]["resourceVersion"]) >= int(other.json["metadata"]["resourceVersion"])
    watch.close()


def test_no_bookmarks_for_who_did_not_ask(shared_server, wire, group):
    start = version(wire.get(MAPS, group))
    watch = Watch(shared_server, MAPS, {**group, "resourceVersion": start, "timeoutSeconds": "3"})
    assert watch.next(timeout=10) is None
    watch.close()


def test_a_streamed_list_ends_with_a_bookmark(shared_server, wire, group):
    whole = wire.get(MAPS, group)
    watch = Watch(shared_server, MAPS, {**group, "sendInitialEvents": "true", "allowWatchBookmarks": "true",
                                        "resourceVersionMatch": "NotOlderThan"})
    end = watch.until(lambda event: event["type"] == "BOOKMARK")
    assert sorted(watch.words()[:-1]) == [("ADDED", name) for name in names(whole)]
    assert end["object"]["metadata"]["annotations"] == {"k8s.io/initial-events-end": "true"}
    assert int(end["object"]["metadata"]["resourceVersion"]) >= int(version(whole))
    change(wire, names(whole)[0], 1)
    assert watch.next()["type"] == "MODIFIED"
    watch.close()


def test_a_streamed_list_of_nothing_ends_too(shared_server):
    watch = Watch(shared_server, MAPS, {"labelSelector": "no=thing", "sendInitialEvents": "true",
                                        "allowWatchBookmarks": "true", "resourceVersionMatch": "NotOlderThan"})
    assert watch.next()["type"] == "BOOKMARK"
    watch.close()


def test_a_watch_as_a_table(shared_server, wire, group):
    watcher = Wire(shared_server)
    response = watcher.send("GET", MAPS, query={**group, "watch": "1", "timeoutSeconds": "1"},
                            Accept="application/json;as=Table;v=v1;g=meta.k8s.io")
    tables = [json.loads(line)["object"] for line in response.read().splitlines()]
    assert [len(table["rows"]) for table in tables] == [1] * 5
    assert [column["name"] for column in tables[0]["columnDefinitions"]] == ["Name", "Data", "Age"]
    assert not tables[1].get("columnDefinitions"), "they are sent once"


def test_a_watch_that_is_too_old_says_410(server):
    """History is bounded: who comes with a version from long ago must list again."""
    wire = Wire(server)
    wire.ask("POST", MAPS, config_map("worn", n="0"))
    old = version(wire.get(MAPS))
    change(wire, "worn", 1)

    def too_old():
        watch = Watch(server, MAPS, {"resourceVersion": old, "timeoutSeconds": "1"})
        event = watch.next()
        watch.close()
        if watch.code == 410:
            assert event["reason"] == "Expired" and event["kind"] == "Status", event
            return True
        if event["type"] == "ERROR":
            assert event["object"]["code"] == 410 and event["object"]["reason"] == "Expired", event
            return True
        assert event["object"]["data"] == {"n": "1"}, "none missed while it is not too old"
        return False

    def write(count):
        mine = Wire(server)
        for n in range(count):
            change(mine, "worn", n + 2)

    assert not too_old()
    written, deadline = 0, time.monotonic() + 90
    while not too_old():
        assert time.monotonic() < deadline, f"{written} changes later it is still remembered"
        writers = [threading.Thread(target=write, args=[250]) for _ in range(8)]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()
        written += 2000


def test_a_watcher_that_waits_through_a_restart_is_told(server):
    wire = Wire(server)
    wire.ask("POST", MAPS, config_map("before"))
    start = version(wire.get(MAPS))
    watch = Watch(server, MAPS, {"resourceVersion": start})
    server.cli("down")
    assert watch.next(timeout=5) is None, "the stream ends cleanly"
    server.up()
    later = Wire(server)
    later.ask("POST", MAPS, config_map("after"))
    again = Watch(server, MAPS, {"resourceVersion": start, "timeoutSeconds": "5"})
    event = again.next()
    if again.code == 200 and event["type"] != "ERROR":
        assert (event["type"], event["object"]["metadata"]["name"]) == ("ADDED", "after")
    else:
        assert (event.get("code") or event["object"]["code"]) == 410, event
    again.close()


def test_nothing_is_overwritten_by_who_read_an_older_version(server):
    """A counter that eight raise at once, each by reading, adding one and putting it back."""
    Wire(server).ask("POST", MAPS, config_map("counter", n="0"))
    raised, conflicts = [], []

    def work():
        wire = Wire(server)
        while len(raised) < 200:
            read = wire.get(f"{MAPS}/counter").json
            read["data"]["n"] = str(int(read["data"]["n"]) + 1)
            answer = wire.ask("PUT", f"{MAPS}/counter", read)
            (raised if answer.code == 200 else conflicts).append(answer.code)
    workers = [threading.Thread(target=work) for _ in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert Wire(server).get(f"{MAPS}/counter").json["data"]["n"] == str(len(raised))
    assert conflicts and set(conflicts) == {409}


def test_many_watchers_see_the_same(server):
    wait_for("what every namespace has", lambda: server.get("configmap", "kube-root-ca.crt"))
    wire = Wire(server)
    start = version(wire.get(MAPS))
    watches = [Watch(server, MAPS, {"resourceVersion": start}) for _ in range(100)]
    for i in range(20):
        wire.ask("POST", MAPS, config_map(f"seen-{i}"))
    for watch in watches:
        for _ in range(20):
            watch.next(20)
        assert watch.words() == [("ADDED", f"seen-{i}") for i in range(20)]
    for watch in watches:
        watch.close()
    wait_for("the server to let go of them", lambda: open_files(server.pid) < 60)


def open_files(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))
