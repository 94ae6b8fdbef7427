"""Arena's commands on a real Kubernetes API. Its operators, scheduler and kubelets are played by the test, which writes
what they would write."""

import json
import re

import pytest
from arena import arena, shown, table
from cluster import cluster  # noqa: F401 (a fixture)
from harness import ROOT, wait_for
from servers import run_server

PODS = "/api/v1/namespaces/default/pods"
TYPES = {"pytorchjob": "/apis/kubeflow.org/v1/namespaces/default/pytorchjobs",
         "tfjob": "/apis/kubeflow.org/v1/namespaces/default/tfjobs",
         "mpijob": "/apis/kubeflow.org/v2beta1/namespaces/default/mpijobs"}
MNIST = ("submit", "pytorch", "--name=mnist", "--gpus=1", "--workers=3", "--image=example.org/pytorch",
         "--sync-mode=git", "--sync-source=https://example.org/mnist-pytorch.git",
         "--data=training-data:/training_data", "--tensorboard", "--logdir=/training_data/mnist",
         "python /root/code/mnist-pytorch/mnist.py")


def own_definitions():
    """Our own kinds as `kubectl get crd` shows them, without what only a server may say."""
    for server in run_server(start=False):
        server.up("--fake-runtime")
        return [{**each, "metadata": {"name": each["metadata"]["name"]}, "status": None}
                for each in server.list("crd")]


def node(name, ready, gpus, port=10250, **labels):
    amounts = {"cpu": "8", "memory": "32Gi", "pods": "110", "nvidia.com/gpu": str(gpus)}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels},
            "status": {"capacity": amounts, "allocatable": amounts,
                       "addresses": [{"type": "InternalIP", "address": "127.0.0.1"}],
                       "daemonEndpoints": {"kubeletEndpoint": {"Port": port}},
                       "conditions": [{"type": "Ready", "status": "True" if ready else "False"}]}}


@pytest.fixture(scope="module")
def place(cluster):  # noqa: F811
    """The cluster with our definitions, three nodes and a volume."""
    definitions = own_definitions()
    taken = cluster.kubectl("create", "--validate=strict", "-f", "-",
                            input=json.dumps({"apiVersion": "v1", "kind": "List", "items": definitions}))
    assert taken.count(" created") == len(definitions) > 10, taken
    cluster.kubectl("wait", "crd", "--all", "--for=condition=Established", "--timeout=30s")
    for path in TYPES.values():
        wait_for(path, lambda: cluster.request("GET", path)[0] == 200)
    cluster.create("/api/v1/nodes", node("cp-1", True, 0, **{"node-role.kubernetes.io/master": ""}))
    cluster.create("/api/v1/nodes", node("gpu-1", True, 2, cluster.kubelet.port))
    cluster.create("/api/v1/nodes", node("gpu-2", False, 2, 1))
    cluster.create("/api/v1/namespaces/default/persistentvolumeclaims", {
        "apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {"name": "training-data", "annotations": {"description": "digits", "owner": "ann"}},
        "spec": {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "1Gi"}}},
        "status": {"phase": "Bound"}})
    return cluster


def make_pod(place, kind, job, role, index, host, owner=None):
    """As the operator makes it from the job's template, and a scheduler binds it."""
    made = place.must("GET", f"{TYPES[kind]}/{job}")
    spec = next(value for key, value in made["spec"].items() if key.endswith("ReplicaSpecs"))[role]
    name = f"{job}-{role.lower()}-{index}"
    labels = {"training.kubeflow.org/job-name": job, "training.kubeflow.org/replica-index": str(index),
              "training.kubeflow.org/operator-name": "mpi-operator" if kind == "mpijob" else f"{kind}-controller",
              "training.kubeflow.org/" + ("job-role" if kind == "mpijob" else "replica-type"): role.lower()}
    owner = owner or {key: made[key] for key in ("apiVersion", "kind")} | {
        key: made["metadata"][key] for key in ("name", "uid")}
    template = spec["template"]
    place.create(PODS, {
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": name, "annotations": template["metadata"].get("annotations"),
                     "labels": template["metadata"]["labels"] | labels,
                     "ownerReferences": [{**owner, "controller": True}]},
        "spec": template["spec"] | {"restartPolicy": "Never"} | ({"nodeName": host} if host else {})})
    return name


def set_phase(place, pod, phase, **more):
    place.set_status(f"{PODS}/{pod}", {"phase": phase, "hostIP": "127.0.0.1", "hostIPs": [{"ip": "127.0.0.1"}],
                                       "startTime": "2024-05-06T09:30:00Z", **more})


def set_condition(place, kind, job, *types, **more):
    place.set_status(f"{TYPES[kind]}/{job}", {"conditions": [
        {"type": each, "status": "True", "reason": each, "message": each, "lastTransitionTime": "2024-05-06T09:30:00Z",
         "lastUpdateTime": "2024-05-06T09:30:00Z"} for each in types], **more})


def status_of(place, job):
    row = next(line.split() for line in shown(place, "list").splitlines() if line.split()[0] == job)
    return row[1], row[4]


def failed(place, *words, **more):
    """What a command says that must fail, in one line."""
    said = arena(place, *words, **more)
    assert said.code == 1 and said.out == "", repr(said)
    assert re.fullmatch(r"(WARN.*\n)*ERRO\[0000\] [^\n]*\n", said.err), repr(said)
    return said.err


def test_what_is_valid_here_is_valid_there(place):
    taken = place.kubectl("create", "--dry-run=server", "--validate=strict", "-f", ROOT / "tests/e2e/data")
    assert taken.count("created (server dry run)") == len(list((ROOT / "tests/e2e/data").glob("*.yaml"))) > 10, taken


def test_a_job_from_its_submission_to_its_end(place):
    assert "git_sync_image in the config file" in failed(place, *MNIST)
    assert place.must("GET", "/api/v1/namespaces/default/configmaps?labelSelector=release")["items"] == []
    (place.folder / "home/.arena/config").write_text("git_sync_image=example.org/git-sync:v4.4.0\n")
    said = arena(place, *MNIST)
    assert said.out.splitlines() == [
        "configmap/mnist-pytorchjob created", "configmap/mnist-pytorchjob labeled", "service/mnist-tensorboard created",
        "deployment.apps/mnist-tensorboard created", "pytorchjob.kubeflow.org/mnist created"], repr(said)
    assert said.err == ("INFO[0000] The Job mnist has been submitted successfully\n"
                        "INFO[0000] You can run `arena get mnist --type pytorchjob` to check the job status\n")
    job = place.must("GET", f"{TYPES['pytorchjob']}/mnist")
    init = job["spec"]["pytorchReplicaSpecs"]["Master"]["template"]["spec"]["initContainers"][0]
    assert init["image"] == "example.org/git-sync:v4.4.0" and "command" not in init
    board = place.must("GET", "/apis/apps/v1/namespaces/default/deployments/mnist-tensorboard")
    assert board["metadata"]["ownerReferences"][0]["uid"] == job["metadata"]["uid"]
    assert status_of(place, "mnist") == ("PENDING", "N/A")
    assert "exists already" in failed(place, *MNIST)

    pods = [make_pod(place, "pytorchjob", "mnist", *one) for one in
            [("Master", 0, "gpu-1"), ("Worker", 0, "gpu-2"), ("Worker", 1, None)]]
    set_condition(place, "pytorchjob", "mnist", "Created", "Running", startTime="2024-05-06T09:30:00Z")
    set_phase(place, pods[0], "Running")
    set_phase(place, pods[1], "Running")
    place.set_status(f"{PODS}/{pods[2]}", {"phase": "Pending", "conditions": [
        {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/3 nodes are available"}]})
    assert status_of(place, "mnist") == ("PENDING", "127.0.0.1")
    waits = arena(place, "get", "mnist")
    assert waits.out.startswith("STATUS: PENDING\nNAMESPACE: default\nPRIORITY: N/A\n"), repr(waits)
    assert "mnist is PENDING: " in waits.err and "0/3 nodes are available" in waits.err, repr(waits)
    set_phase(place, pods[2], "Running")
    assert status_of(place, "mnist") == ("RUNNING", "127.0.0.1")
    port = place.must("GET", "/api/v1/namespaces/default/services/mnist-tensorboard")["spec"]["ports"][0]["nodePort"]
    assert shown(place, "get", "mnist").endswith(
        f"\nYour tensorboard will be available on:\nhttp://127.0.0.1:{port}\n")
    told = json.loads(shown(place, "list", "-o", "json"))
    assert [(one["name"], one["status"], one["requestGPUs"], one["allocatedGPUs"], len(one["instances"]))
            for one in told] == [("mnist", "RUNNING", 3, 3, 3)], told
    assert re.search(r"^mnist +RUNNING +PYTORCHJOB +\S+ +3 +3 +127.0.0.1$", shown(place, "list", "-o", "wide"), re.M)
    assert re.search(r"^  mnist-worker-0 +\S+ +\S+ +false +1 +gpu-2$", shown(place, "get", "mnist", "-o", "wide"), re.M)

    set_condition(place, "pytorchjob", "mnist", "Created", "Succeeded", startTime="2024-05-06T09:30:00Z",
                  completionTime="2024-05-06T10:42:00Z")
    for pod in pods:
        set_phase(place, pod, "Succeeded")
    assert status_of(place, "mnist") == ("SUCCEEDED", "N/A")
    assert "TRAINING DURATION: 1h\n" in shown(place, "get", "mnist")
    gone = arena(place, "delete", "mnist", "none")
    assert gone.code == 2 and gone.out.splitlines() == [
        'service "mnist-tensorboard" deleted', 'deployment.apps "mnist-tensorboard" deleted',
        'pytorchjob.kubeflow.org "mnist" deleted', 'configmap "mnist-pytorchjob" deleted'], repr(gone)
    assert shown(place, "list") == "NAME  STATUS  TRAINER  AGE  NODE\n"
    place.must("DELETE", PODS + "?labelSelector=release", {"gracePeriodSeconds": 0})


@pytest.fixture
def running(place):
    """A PyTorchJob that runs on two nodes, of which only the first answers."""
    shown(place, "submit", "pytorch", "--name=pair", "--gpus=1", "--workers=2", "--image=i", "sleep 1")
    for role, host in [("Master", "gpu-1"), ("Worker", "gpu-2")]:
        set_phase(place, make_pod(place, "pytorchjob", "pair", role, 0, host), "Running")
    set_condition(place, "pytorchjob", "pair", "Running")
    yield place
    shown(place, "delete", "pair")
    place.must("DELETE", PODS + "?labelSelector=release", {"gracePeriodSeconds": 0})


def test_logs_come_through_the_cluster(running):
    running.kubelet.logs["pair-master-0/pytorch"] = "one\ntwo\n"
    assert shown(running, "logs", "pair") == "one\ntwo\n"
    assert shown(running, "logs", "pair", "-t", "5", "--since", "1h", "--timestamps") == "one\ntwo\n"
    assert {"tailLines=5", "timestamps=true"} <= set(re.split("[?&]", running.kubelet.asked[-1]))
    unreachable = failed(running, "logs", "pair", "-i", "pair-worker-0")
    assert "the log of pair-worker-0 on node gpu-2 cannot be read: " in unreachable
    shell = arena(running, "attach", "pair", "-i", "pair-worker-0", "--", "true")
    assert shell.code == 255 and "connection refused" in shell.err, repr(shell)
    all = arena(running, "logs", "pair", "--all")
    assert all.code == 0 and "one" in all.out and "the log of pair-worker-0 on node gpu-2 cannot" in all.err, repr(all)


def test_top_shows_nodes_and_jobs(running):
    top = shown(running, "top", "node")
    assert top.startswith(table(
        ("NAME", "IPADDRESS", "ROLE", "STATUS", "GPU(Total)", "GPU(Allocated)"),
        ("cp-1", "127.0.0.1", "master", "ready", "0", "0"), ("gpu-1", "127.0.0.1", "<none>", "ready", "2", "1"),
        ("gpu-2", "127.0.0.1", "<none>", "notReady", "2", "1"))), top
    assert "\nAllocated/Total GPUs In Cluster:\n2/4 (50%)\nAllocated/Total GPUs(Active) In Cluster:\n1/2 (50%)\n" in top
    assert "default    pair-master-0  1\n" in shown(running, "top", "node", "-d", "gpu-1")
    assert re.search(r"^pair  2              2               RUNNING  pytorchjob  \d+s +127.0.0.1$",
                     shown(running, "top", "job"), re.M)
    assert shown(running, "top", "job", "pair", "-i", "pair-worker-0").splitlines()[1].split() == [
        "pair-worker-0", "N/A", "N/A", "N/A", "Running", "127.0.0.1"]


def test_events_are_those_of_the_instances(running):
    pod = running.must("GET", f"{PODS}/pair-worker-0")
    about = {"kind": "Pod", "namespace": "default", "name": "pair-worker-0", "uid": pod["metadata"]["uid"]}
    running.create("/apis/events.k8s.io/v1/namespaces/default/events", {  # in the form of today's scheduler
        "apiVersion": "events.k8s.io/v1", "kind": "Event", "metadata": {"name": "bound"}, "regarding": about,
        "eventTime": "2024-05-06T09:30:00.000000Z", "reason": "Scheduled", "action": "Binding", "type": "Normal",
        "note": "Successfully assigned", "reportingController": "default-scheduler", "reportingInstance": "s-1"})
    events = shown(running, "get", "pair", "-e")
    assert re.search(r"^pod/pair-worker-0  Normal  \d+[dy] +\[Scheduled\] Successfully assigned$", events, re.M), events


def test_other_types_and_their_ends(place):
    shown(place, "submit", "tf", "--name=served", "--image=i", "--workers=2", "--ps=1", "--worker-affinity-policy=spread",
          "python train.py")
    shown(place, "submit", "mpi", "--name=ring", "--image=i", "--workers=2", "--gpus=1", "--tensorboard", "mpirun hostname")
    for role, number in [("PS", 0), ("Worker", 0), ("Worker", 1)]:
        set_phase(place, make_pod(place, "tfjob", "served", role, number, "gpu-1"), "Running")
    set_condition(place, "tfjob", "served", "Running", startTime="2024-05-06T09:30:00Z")
    # The operator of MPIJobs leaves the launcher to a Job.
    owner = {"apiVersion": "batch/v1", "kind": "Job", "name": "ring-launcher", "uid": "0-0"}
    launcher = make_pod(place, "mpijob", "ring", "Launcher", 0, "gpu-1", owner)
    assert status_of(place, "ring") == ("PENDING", "N/A")
    set_phase(place, launcher, "Running")
    assert status_of(place, "served") == ("RUNNING", "127.0.0.1")
    assert status_of(place, "ring") == ("RUNNING", "127.0.0.1")
    assert json.loads(shown(place, "get", "ring", "-o", "json"))["chiefName"] == launcher
    place.kubelet.logs[f"{launcher}/mpi"] = "gpu-1\n"
    assert shown(place, "logs", "ring") == "gpu-1\n"
    set_condition(place, "mpijob", "ring", "Failed")
    set_phase(place, launcher, "Failed")
    set_condition(place, "tfjob", "served", "Succeeded", startTime="2024-05-06T09:30:00Z")
    assert status_of(place, "ring") == ("FAILED", "N/A")
    assert "PENDING" not in shown(place, "list")
    assert re.fullmatch(r"Delete tfjob served with Age \d+[dy]\n(.* deleted\n)+Delete mpijob ring with Age \d+s\n(.* deleted\n)+",
                        shown(place, "prune", "--since", "1ms"))
    assert shown(place, "prune", "--since", "1ms") == "No job need to be deleted\n"
    place.must("DELETE", PODS + "?labelSelector=release", {"gracePeriodSeconds": 0})


def test_what_a_dry_run_prints_is_taken_by_kubectl(place):
    for words in [("pytorch", "--config-file=notes.txt:/etc/notes"), ("tf", "--ps=1"), ("mpi", "--tensorboard")]:
        (place.folder / "notes.txt").write_text("x")
        printed = shown(place, "submit", words[0], "--name=dry", "--image=i", "--workers=2", "--gpus=1", *words[1:],
                        "--toleration=all", "--selector=a=b", "--dry-run", "-o", "yaml", "true")
        taken = place.kubectl("create", "--dry-run=server", "--validate=strict", "-f", "-", input=printed)
        assert taken.count("created (server dry run)") == printed.count("---\n") > 1, taken
    assert shown(place, "list") == "NAME  STATUS  TRAINER  AGE  NODE\n"


def test_volumes_people_and_shells(place):
    assert re.fullmatch(r"NAME +ACCESSMODE +DESCRIPTION  OWNER  AGE\ntraining-data  ReadWriteMany  digits +ann    \d+s\n",
                        shown(place, "data", "list"))
    assert json.loads(shown(place, "whoami")) == {
        "Name": "admin", "Id": "21232f297a57a5a743894a0e4a801fc3", "IsAdminUser": False}
    assert shown(place, "version").startswith("arena: ")
    assert "complete" in shown(place, "completion", "bash")
    assert shown(place, "__complete", "--", "submit", "pytorch", "--data", "tr") == "training-data:\n"
    (place.folder / "stranger").write_text(place.kubeconfig("ann").read_text().replace("ann-token", "old-token"))
    assert "does not accept the login of the kubeconfig" in failed(place, "list", "--config", "stranger")
    assert "there is no namespace none" in failed(place, "list", "-n", "none")
    assert "--sync-mode upload needs a Trainyard server" in failed(
        place, "submit", "pytorch", "--name=x", "--image=i", "--sync-mode=upload", "--sync-source=.", "true")


def test_what_one_may_not_see_and_what_is_not_there(place):
    """Last: it takes a definition away."""
    ann = {"env": {"KUBECONFIG": str(place.kubeconfig("ann"))}}
    assert "you may not list jobs in namespace default: pods is forbidden" in failed(place, "list", **ann)
    place.kubectl("create", "role", "train", "--verb=*", "--resource=pods,configmaps,services,pytorchjobs.kubeflow.org,"
                  "tfjobs.kubeflow.org,deployments.apps")
    place.kubectl("create", "rolebinding", "ann", "--role=train", "--user=ann")
    said = wait_for("ann's role", lambda: (lambda said: said if said.code == 0 else None)(arena(place, "list", **ann)), 10)
    assert said.out == "NAME  STATUS  TRAINER  AGE  NODE\n" and "mpijobs.kubeflow.org" in said.err, repr(said)
    place.kubectl("delete", "crd", "mpijobs.kubeflow.org")
    path = TYPES["mpijob"]
    wait_for("the definition to go", lambda: place.request("GET", path)[0] == 404)
    for more in ({}, ann):
        said = arena(place, "list", **more)
        assert (said.code, said.out, said.err) == (0, "NAME  STATUS  TRAINER  AGE  NODE\n", ""), repr(said)
        assert "Not found training job none" in failed(place, "get", "none", **more)
        assert failed(place, "submit", "mpi", "--name=x", "--image=i", "true", **more) == (
            "ERRO[0000] the server has no MPIJob (kubeflow.org/v2beta1): its operator must be installed first\n")
        made = arena(place, "submit", "pytorch", "--name=hers", "--image=i", "true", **more)
        assert made.code == 0, repr(made)
        gone = arena(place, "delete", "hers", **more)
        assert gone.code == 0, repr(gone)
