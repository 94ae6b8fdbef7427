"""The Python package `kubernetes`, as notebooks and operators use it."""

import json
import threading
import time

import pytest
from harness import wait_for
from jobs import config_map, pod, shell_job

kubernetes = pytest.importorskip("kubernetes", reason="tools/setup python installs it")
from kubernetes import client, config, dynamic, utils, watch  # noqa: E402
from kubernetes.client.rest import ApiException  # noqa: E402
from urllib3.exceptions import HTTPError  # noqa: E402

JOBS = dict(group="batch.tensorstack.dev", version="v1beta1", namespace="default", plural="pytorchtrainingjobs")


def api_client(server):
    made = config.new_client_from_config(config_file=str(server.data / "kubeconfig"))
    made.configuration.retries = False  # what is refused is seen at once
    return made


@pytest.fixture(scope="module")
def api(shared_server):
    return api_client(shared_server)


@pytest.fixture(scope="module")
def core(api):
    return client.CoreV1Api(api)


def map_object(name, data=None, **metadata):
    return client.V1ConfigMap(metadata=client.V1ObjectMeta(name=name, **metadata), data=data)


# ---- objects -------------------------------------------------------------------------------------


def test_a_pod_from_creation_to_its_log(core):
    container = client.V1Container(name="main", image="host", command=["sh", "-c", "echo hello"])
    spec = client.V1PodSpec(containers=[container], restart_policy="Never")
    made = core.create_namespaced_pod("default", client.V1Pod(
        metadata=client.V1ObjectMeta(name="py", labels={"from": "python"}), spec=spec))
    assert made.metadata.uid and made.status.phase == "Pending" and made.metadata.creation_timestamp.year > 2020
    wait_for("its end", lambda: core.read_namespaced_pod("py", "default").status.phase == "Succeeded")
    status = core.read_namespaced_pod_status("py", "default").status
    assert status.container_statuses[0].state.terminated.exit_code == 0
    assert core.read_namespaced_pod_log("py", "default") == "hello\n"
    [listed] = core.list_namespaced_pod("default", label_selector="from=python").items
    assert listed.metadata.name == "py"
    patched = core.patch_namespaced_pod("py", "default", {"metadata": {"labels": {"more": "yes"}}})
    assert patched.metadata.labels == {"from": "python", "more": "yes"}
    core.delete_namespaced_pod("py", "default", grace_period_seconds=0)
    wait_for("it to go", lambda: not core.list_namespaced_pod("default", label_selector="from=python").items)


def test_custom_objects(api):
    custom = client.CustomObjectsApi(api)
    custom.create_namespaced_custom_object(body=shell_job("py", "exit 0"), **JOBS)

    def phase():
        return custom.get_namespaced_custom_object(name="py", **JOBS).get("status", {}).get("phase")
    wait_for("the job's end", lambda: phase() == "Succeeded")
    patched = custom.patch_namespaced_custom_object(name="py", body={"metadata": {"labels": {"a": "b"}}}, **JOBS)
    assert patched["metadata"]["labels"]["a"] == "b"
    found = custom.list_namespaced_custom_object(label_selector="a=b", **JOBS)
    assert [item["metadata"]["name"] for item in found["items"]] == ["py"]
    custom.delete_namespaced_custom_object(name="py", propagation_policy="Foreground", **JOBS)
    wait_for("it to go", lambda: not custom.list_namespaced_custom_object(**JOBS)["items"])


def test_deployments_are_typed_and_complete(api):
    apps = client.AppsV1Api(api)
    template = client.V1PodTemplateSpec(metadata=client.V1ObjectMeta(labels={"app": "py"}), spec=client.V1PodSpec(
        containers=[client.V1Container(name="main", image="host", command=["sleep", "1000"])]))
    apps.create_namespaced_deployment("default", client.V1Deployment(
        metadata=client.V1ObjectMeta(name="py"), spec=client.V1DeploymentSpec(
            replicas=0, selector=client.V1LabelSelector(match_labels={"app": "py"}), template=template)))
    read = apps.read_namespaced_deployment("py", "default")
    assert read.spec.strategy.rolling_update.max_surge == "25%"
    scale = apps.read_namespaced_deployment_scale("py", "default")
    scale.spec.replicas = 1
    scale.metadata.resource_version = None  # its controller may have written meanwhile
    apps.replace_namespaced_deployment_scale("py", "default", scale)
    wait_for("its pod", lambda: apps.read_namespaced_deployment("py", "default").status.ready_replicas == 1)
    apps.delete_namespaced_deployment("py", "default", propagation_policy="Foreground")
    wait_for("its end", lambda: not apps.list_namespaced_deployment("default").items)


def test_replace_with_an_old_version(core):
    old = core.create_namespaced_config_map("default", map_object("py-old", {"a": "1"}))
    core.patch_namespaced_config_map("py-old", "default", {"data": {"a": "2"}})
    old.data = {"a": "3"}
    with pytest.raises(ApiException) as refused:
        core.replace_namespaced_config_map("py-old", "default", old)
    assert (refused.value.status, refused.value.reason) == (409, "Conflict")
    assert json.loads(refused.value.body)["reason"] == "Conflict"


def test_errors_are_statuses(core, api):
    def failure(call, *args, **more):
        with pytest.raises(ApiException) as raised:
            call(*args, **more)
        return raised.value.status, json.loads(raised.value.body)
    code, status = failure(core.read_namespaced_config_map, "none", "default")
    assert (code, status["reason"]) == (404, "NotFound")
    assert status["details"] == {"name": "none", "kind": "configmaps"}
    core.create_namespaced_config_map("default", map_object("py-twice"))
    code, status = failure(core.create_namespaced_config_map, "default", map_object("py-twice"))
    assert (code, status["reason"]) == (409, "AlreadyExists")
    bad = pod("py-bad", "exit 0")
    bad["spec"]["containers"][0]["name"] = "Not Valid"
    bad["spec"]["restartPolicy"] = "Sometimes"
    code, status = failure(core.create_namespaced_pod, "default", bad)
    assert (code, status["reason"], status["details"]["name"]) == (422, "Invalid", "py-bad")
    fields = {cause["field"] for cause in status["details"]["causes"]}
    assert {"spec.containers[0].name", "spec.restartPolicy"} <= fields, status
    code, status = failure(client.CustomObjectsApi(api).list_cluster_custom_object, "no.such", "v1", "things")
    assert code == 404


def test_paging(core):
    for i in range(5):
        core.create_namespaced_config_map("default", map_object(f"page-{i}", labels={"set": "pages"}))
    names, token = [], None
    while True:
        page = core.list_namespaced_config_map("default", label_selector="set=pages", limit=2, _continue=token)
        names += [item.metadata.name for item in page.items]
        token = page.metadata._continue
        if not token:
            break
        assert len(page.items) == 2
    assert names == [f"page-{i}" for i in range(5)]


def test_server_side_apply(core, api):
    def apply(manager, force=False, **data):
        return core.patch_namespaced_config_map(
            "py-applied", "default", config_map("py-applied", **data), field_manager=manager, force=force,
            _content_type="application/apply-patch+yaml")
    apply("alice", color="red")
    with pytest.raises(ApiException) as refused:
        apply("bob", color="blue")
    assert refused.value.status == 409
    status = json.loads(refused.value.body)
    assert status["details"]["causes"] == [{"reason": "FieldManagerConflict", "message": 'conflict with "alice"',
                                            "field": ".data.color"}]
    assert apply("bob", force=True, color="blue").data == {"color": "blue"}
    managers = {entry.manager for entry in core.read_namespaced_config_map(
        "py-applied", "default").metadata.managed_fields}
    assert "bob" in managers


def test_the_dynamic_client_discovers_everything(api):
    found = dynamic.DynamicClient(api)
    jobs = found.resources.get(api_version="batch.tensorstack.dev/v1beta1", kind="PyTorchTrainingJob")
    assert jobs.namespaced and "pj" in jobs.short_names
    made = found.server_side_apply(jobs, body=shell_job("py-dynamic", "exit 0"), name="py-dynamic",
                                   namespace="default", field_manager="python")
    assert made.metadata.name == "py-dynamic"
    assert jobs.get(name="py-dynamic", namespace="default").spec.replicaSpecs[0].type == "worker"
    maps = found.resources.get(api_version="v1", kind="ConfigMap")
    maps.create(body=config_map("py-dynamic", a="1"), namespace="default")
    assert maps.get(namespace="default", name="py-dynamic").data.a == "1"
    maps.delete(name="py-dynamic", namespace="default")


def test_create_from_yaml(api, tmp_path, core):
    file = tmp_path / "all.yaml"
    file.write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: py-yaml}\n---\n"
                    "apiVersion: v1\nkind: Secret\nmetadata: {name: py-yaml}\nstringData: {a: b}\n")
    utils.create_from_yaml(api, str(file))
    assert core.read_namespaced_secret("py-yaml", "default").data == {"a": "Yg=="}


def test_versions_and_groups(api):
    assert client.VersionApi(api).get_code().minor.rstrip("+") == "32"
    groups = {group.name for group in client.ApisApi(api).get_api_versions().groups}
    assert {"apps", "batch.tensorstack.dev", "kubeflow.org", "rbac.authorization.k8s.io"} <= groups
    crds = client.ApiextensionsV1Api(api).list_custom_resource_definition().items
    assert "pytorchtrainingjobs.batch.tensorstack.dev" in {crd.metadata.name for crd in crds}


# ---- watches -------------------------------------------------------------------------------------


def test_a_watch_sees_each_event_once(core):
    version = core.list_namespaced_config_map("default").metadata.resource_version
    core.create_namespaced_config_map("default", map_object("py-watched", {"n": "0"}, labels={"set": "watched"}))
    for n in "12":
        core.patch_namespaced_config_map("py-watched", "default", {"data": {"n": n}})
    core.delete_namespaced_config_map("py-watched", "default")
    seen = [(event["type"], event["object"].data["n"]) for event in watch.Watch().stream(
        core.list_namespaced_config_map, "default", label_selector="set=watched", resource_version=version,
        timeout_seconds=1)]
    assert seen == [("ADDED", "0"), ("MODIFIED", "1"), ("MODIFIED", "2"), ("DELETED", "2")]


def test_a_watch_that_is_too_old_says_410(server):
    core = client.CoreV1Api(api_client(server))
    server.kill()
    server.up()
    with pytest.raises(ApiException) as gone:
        for _ in watch.Watch().stream(core.list_namespaced_config_map, "default", resource_version="1",
                                      timeout_seconds=2):
            pass
    assert gone.value.status == 410


class Informer:
    """Lists, watches, and begins again when its place is gone, as client-go's reflector does."""

    def __init__(self, server):
        self.core = client.CoreV1Api(api_client(server))
        self.cache, self.story, self.relists, self.reconnects = {}, [], 0, 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        version = None
        while not self._stop.is_set():
            try:
                version = self._list() if version is None else self._watch(version)
            except ApiException as refused:
                if refused.status == 410:
                    version = None
                time.sleep(0.05)
            except (HTTPError, OSError):
                self.reconnects += 1
                version = self.last or version
                time.sleep(0.05)

    def _list(self):
        self.relists += 1
        found = self.core.list_namespaced_config_map("default", label_selector="set=informed")
        now = {item.metadata.name: item for item in found.items}
        for name in set(self.cache) - set(now):
            self._tell("DELETED", self.cache[name])
        for name, item in now.items():
            known = self.cache.get(name)
            if known is None or known.metadata.resource_version != item.metadata.resource_version:
                self._tell("ADDED" if known is None else "MODIFIED", item)
        self.last = found.metadata.resource_version
        return self.last

    def _watch(self, version):
        self.last = version
        for event in watch.Watch().stream(self.core.list_namespaced_config_map, "default",
                                          label_selector="set=informed", resource_version=version,
                                          allow_watch_bookmarks=True, timeout_seconds=30):
            self.last = event["object"].metadata.resource_version if event["type"] != "BOOKMARK" else \
                event["raw_object"]["metadata"]["resourceVersion"]
            if event["type"] != "BOOKMARK":
                self._tell(event["type"], event["object"])
            if self._stop.is_set():
                break
        return self.last

    def _tell(self, type, item):
        name = item.metadata.name
        self.story.append((type, name, (item.data or {}).get("n"), int(item.metadata.resource_version)))
        if type == "DELETED":
            self.cache.pop(name, None)
        else:
            self.cache[name] = item

    def stop(self):
        self._stop.set()


def insist(call, *args):
    """As a careful client does it: again until the server has answered."""
    deadline = time.monotonic() + 30
    while True:
        try:
            return call(*args)
        except ApiException as refused:
            if refused.status in (404, 409):  # the answer to the one before was lost
                return None
            raise
        except (HTTPError, OSError):
            assert time.monotonic() < deadline, "the server does not come back"
            time.sleep(0.05)


def test_an_informer_survives_restarts_without_losing_anything(server):
    core = client.CoreV1Api(api_client(server))
    informer = Informer(server)
    alive, stop = {}, threading.Event()
    failure = []

    def work():
        number = 0
        try:
            while not stop.is_set():
                name = f"m-{number}"
                insist(core.create_namespaced_config_map, "default",
                       map_object(name, {"n": "0"}, labels={"set": "informed"}))
                insist(core.patch_namespaced_config_map, name, "default", {"data": {"n": "1"}})
                alive[name] = "1"
                if number % 3 == 2:
                    gone = f"m-{number - 1}"
                    insist(core.delete_namespaced_config_map, gone, "default")
                    del alive[gone]
                number += 1
        except BaseException as error:  # noqa: BLE001 - told by the test
            failure.append(error)
    worker = threading.Thread(target=work)
    worker.start()
    try:
        for _ in range(3):
            time.sleep(0.7)
            server.kill()
            server.up()
        time.sleep(0.7)
    finally:
        stop.set()
        worker.join(60)
    assert not failure, failure
    assert len(alive) > 10
    try:
        wait_for("the informer to know all", lambda: {
            name: item.data["n"] for name, item in dict(informer.cache).items()} == alive, 20)
    finally:
        informer.stop()
    assert informer.reconnects + informer.relists > 1, "it has seen the restarts"
    told_of = {name for _, name, _, _ in informer.story}
    assert set(alive) <= told_of
    versions = {}
    for type, name, _, version in informer.story:
        assert version > versions.get(name, 0) or type == "DELETED", f"{name} went back in time"
        versions[name] = version


def test_every_change_is_seen_by_a_watch_beside_many_writers(core):
    version = core.list_namespaced_config_map("default").metadata.resource_version
    seen, done = [], threading.Event()

    def look():
        for event in watch.Watch().stream(core.list_namespaced_config_map, "default", label_selector="set=busy",
                                          resource_version=version, timeout_seconds=60):
            seen.append((event["object"].metadata.name, event["object"].data["n"],
                         int(event["object"].metadata.resource_version)))
            if len(seen) == 4 * 50:
                break
        done.set()
    threading.Thread(target=look, daemon=True).start()

    def write(name):
        core.create_namespaced_config_map("default", map_object(name, {"n": "0"}, labels={"set": "busy"}))
        for n in range(1, 50):
            core.patch_namespaced_config_map(name, "default", {"data": {"n": str(n)}})
    writers = [threading.Thread(target=write, args=[f"busy-{i}"]) for i in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert done.wait(30), f"only {len(seen)} of 200 events"
    for i in range(4):
        assert [n for name, n, _ in seen if name == f"busy-{i}"] == [str(n) for n in range(50)]
    order = [version for _, _, version in seen]
    assert order == sorted(set(order)), "in the order of their versions, each once"
