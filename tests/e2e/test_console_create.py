"""Making jobs in the web console, in Chromium: the menu, the forms, the YAML behind them, and refusals."""

import pytest
from harness import wait_for
from makers import Maker
from pages import chromium, expect_soon  # noqa: F401 (a fixture)

BATCH = "batch.tensorstack.dev/v1beta1"
MANIFEST = f"""# Made by hand, with comments.
apiVersion: {BATCH}
kind: GenericJob  # another kind than the page's
metadata:
  name: NAME
spec:
  replicaSpecs:
  - type: worker
    template:
      spec:
        containers:
        - name: main
          image: host
          command: [sleep, "600"]
"""


@pytest.fixture(scope="module")
def made(shared_server):
    """A server with something to choose from."""
    server = shared_server
    server.create({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "shared"},
                   "spec": {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "1Gi"}}}})
    server.create({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "keys"}, "stringData": {"token": "x"}})
    return server


@pytest.fixture
def maker(chromium, made):  # noqa: F811
    visitor = Maker(chromium, made)
    yield visitor
    visitor.close()


def spec_of(server, kind, name):
    return server.get(kind, name)["spec"]


# ---- the menu and the page ------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["en", "zh"])
def test_job_is_made_by_pasting_a_manifest_in_either_language(chromium, made, language):  # noqa: F811
    maker = Maker(chromium, made, language)
    page, words, name = maker.page, maker.words, f"pasted-{language}"
    maker.go("Job")
    page.get_by_role("button", name=words["create job"]).click()
    offered = page.locator(".menu:popover-open button").all_inner_texts()
    assert offered == ["PyTorch", "TensorFlow", "XGBoost", "MPI", "Generic"]
    page.get_by_role("button", name="PyTorch").click()
    page.get_by_role("heading", name=words["basic"]).wait_for()
    path = page.locator(".path ol").inner_text().split()
    assert path == ["Job", words["create"]], path
    maker.create()
    assert page.get_by_text(words["required"]).count() == 2, "name and image"
    field = page.get_by_role("textbox", name=words["name"], exact=True)
    focus = lambda: page.evaluate("document.activeElement.outerHTML")  # noqa: E731
    # With the next frame, when the errors are drawn.
    expect_soon("the way to the first of them", lambda: field.evaluate("e => e === document.activeElement"), focus)
    maker.check_accessibility()
    maker.open_preview()
    maker.paste(MANIFEST.replace("  name: NAME", " name: a\n  b: c"))
    maker.expect_problem(f"{words['line']} 6")
    assert page.get_by_role("dialog").get_by_role("button", name=words["create"]).is_disabled()
    maker.check_accessibility()
    maker.paste(MANIFEST.replace("NAME", name))
    expect_soon("no problem", lambda: maker.problems.inner_text() == "", maker.problems.inner_text)
    maker.create()
    maker.expect_listed(name)
    assert made.get("genericjob", name)["spec"]["replicaSpecs"][0]["type"] == "worker"
    page.go_back()
    page.get_by_role("heading", name=words["basic"]).wait_for()
    maker.close()


def test_form_is_dark_where_the_page_is(maker):
    maker.page.get_by_label("Appearance").select_option("dark")
    maker.open_form("MPI")
    maker.check_accessibility()
    maker.open_preview()
    maker.paste(MANIFEST.replace("command", "comand"))
    maker.expect_problem("Line 14: There is no field comand here")
    maker.check_accessibility()


# ---- what the server refuses ----------------------------------------------------------------------


def test_refusal_is_drawn_on_its_lines_and_nothing_is_lost(maker, made):
    page = maker.page
    maker.open_form("Generic")
    maker.open_preview()
    wrong = MANIFEST.replace("NAME", "Not_A_Name")
    maker.paste(wrong)
    maker.create()
    maker.expect_problem('Line 5: Invalid value: "Not_A_Name"')
    assert maker.editor.inner_text().startswith("# Made by hand")
    assert page.locator(".cm-lint-marker-error").count() == 1
    problem = page.get_by_role("list", name="Problems").get_by_role("listitem")
    assert problem.count() == 1 and "regex" not in problem.inner_text(), problem.all_inner_texts()
    problem.get_by_role("button", name="Show all").click()
    assert "regex used for validation" in problem.inner_text(), "verbatim"
    maker.paste(wrong.replace("GenericJob", "NoSuchJob"))
    maker.create()
    maker.expect_problem("Line 3: The server has no kind NoSuchJob")
    assert [job for job in made.cli("list", "-o", "name").out.split() if "Not_A" in job] == []
    page.get_by_role("button", name="Cancel").click()
    maker.text("Name", "Not_A_Name")
    maker.text("Image", "host")
    maker.create()
    bar = page.locator(".refusal")
    bar.wait_for()
    assert 'GenericJob.batch.tensorstack.dev "Not_A_Name" is invalid' in bar.inner_text(), "verbatim"
    assert page.get_by_role("textbox", name="Name", exact=True).get_attribute("aria-invalid") == "true"
    maker.check_accessibility()
    assert "regex" not in page.locator("main").inner_text(), "which few can read, nor do they need to"
    bar.get_by_role("button", name="Show all").click()
    assert "regex used for validation" in bar.inner_text(), "verbatim"
    maker.text("Name", "a-name")
    assert bar.count() == 0, "it was mended"
    assert page.get_by_role("textbox", name="Image", exact=True).input_value() == "host", "the input is kept"
    maker.forgive_refusals()


def test_taken_name_is_told(maker, made):
    made.create({"apiVersion": BATCH, "kind": "GenericJob", "metadata": {"name": "taken"},
                 "spec": {"runMode": {"pause": {"enabled": True}},
                          "replicaSpecs": [{"type": "w", "template": {"spec": {"containers": [
                              {"name": "main", "image": "host"}]}}}]}})
    maker.open_form("Generic")
    maker.open_preview()
    maker.paste(MANIFEST.replace("NAME", "taken"))
    maker.create()
    expect_soon("the refusal", lambda: maker.page.locator("dialog .refusal").count(), maker.page.content)
    assert 'genericjobs.batch.tensorstack.dev "taken" already exists' in maker.page.locator(".refusal").inner_text()
    maker.forgive_refusals()


# ---- the editor ----------------------------------------------------------------------------------


def test_schema_completes_explains_and_marks(maker):
    page = maker.page
    maker.open_form("PyTorch")
    maker.open_preview()
    maker.paste(f"apiVersion: {BATCH}\nkind: PyTorchTrainingJob\nmetadata:\n  name: a\nspec:\n  ")
    page.keyboard.type("torchr")
    page.get_by_role("option", name="torchrunConfig").click()
    page.keyboard.type("\nenabled: tr")
    page.get_by_role("option", name="true").wait_for()
    page.keyboard.press("Escape")
    assert page.get_by_role("dialog").is_visible(), "Esc in the editor closes no more than a list"
    maker.expect_problem("Line 5: The field replicaSpecs is missing")
    maker.paste(MANIFEST.replace("[sleep", "[3"))
    maker.expect_problem("Line 14: This must be text: put it in quotes.")
    page.locator(".cm-line", has_text="replicaSpecs").hover(position={"x": 40, "y": 9})
    page.locator(".cm-line", has_text="replicaSpecs").hover(position={"x": 44, "y": 9})
    help_text = page.locator(".cm-help")
    help_text.wait_for()
    assert help_text.inner_text().startswith("replicaSpecs: object[] (required)")


def test_text_and_form_follow_each_other_and_keep_what_the_form_does_not_show(maker):
    page = maker.page
    maker.open_form("Generic")
    maker.open_preview()
    maker.paste(MANIFEST.replace("NAME", "both-ways").replace("  replicaSpecs:", "  x: 1\n  replicaSpecs:"))
    page.get_by_role("button", name="Apply to the form").click()
    assert page.get_by_role("textbox", name="Command").input_value() == "sleep 600"
    assert page.locator(".kept code").all_inner_texts() == ["spec.x"]
    maker.text("Command", "sh -c 'echo \"a b\"' ")
    maker.number("Replicas", "2")
    maker.open_preview()
    shown = maker.editor.inner_text()
    for line in ["# Made by hand, with comments.", "kind: GenericJob # another kind than the page's", "  x: 1",
                 "    replicas: 2", "          command:", "          - echo \"a b\""]:
        assert line in shown, shown
    page.get_by_role("button", name="Cancel").click()
    maker.text("Command", "sh -c 'open")
    maker.create()
    page.get_by_text("The quote ' is not closed.").wait_for()
    assert page.get_by_role("textbox", name="Command").input_value() == "sh -c 'open"


def test_text_of_another_kind_leads_to_its_form(maker):
    maker.open_form("PyTorch")
    maker.open_preview()
    maker.paste(MANIFEST.replace("NAME", "elsewhere"))
    maker.page.get_by_role("button", name="Apply to the form").click()
    maker.page.get_by_role("heading", level=1, name="GenericJob").wait_for()
    assert maker.page.get_by_role("textbox", name="Name", exact=True).input_value() == "elsewhere"


# ---- the forms -----------------------------------------------------------------------------------


def test_pytorch_form_says_all_that_it_can(maker, made):
    maker.open_form("PyTorch")
    maker.text("Name", "all-fields")
    maker.switch("Use TorchRun")
    maker.number("Max restarts", "2")
    maker.text("Max processes per node", "4")
    maker.add("Other options")
    maker.text("Other options 1", "--redirects=3")
    maker.page.get_by_role("radio", name="T9k scheduler").check()
    maker.number("Priority", "50")
    maker.switch("Add run policy")
    maker.number("Back-off limit", "1")
    maker.choose("Clean-up policy", "Unfinished")
    maker.number("Deadline (seconds)", "600")
    maker.switch("Add TensorBoard")
    maker.choose("PersistentVolumeClaim of the logs", "shared")
    maker.add("Log folders")
    maker.text("Log folders 1", "runs")
    maker.switch("Debug mode")
    maker.number("Replicas", "2")
    maker.choose("Restart policy", "ExitCode")
    maker.text("Image", "host", 1)
    maker.text("Arguments", 'train.py "--name=a b"')
    maker.text("CPU limit", "200m", 1)
    maker.text("Memory limit", "64Mi", 1)
    maker.text("CPU request", "100m")
    maker.text("Working directory", "/data")
    maker.add("Environment variables")
    maker.text("Name", "MODE", 1)
    maker.text("Value", "on")
    maker.add("Environment variables")
    maker.text("Name", "TOKEN", 2)
    maker.choose("From", "secretKeyRef", 1)
    maker.choose("Secret", "keys")
    maker.text("Key", "token")
    maker.add("Volumes")
    maker.choose("PersistentVolumeClaim", "shared")
    maker.text("Binding path", "/data")
    maker.switch("Shared memory")
    maker.check_accessibility()
    maker.create()
    maker.expect_listed("all-fields")
    spec = spec_of(made, "pytorchtrainingjob", "all-fields")
    limits = {"cpu": "200m", "memory": "64Mi"}
    assert spec["torchrunConfig"] == {"enabled": True, "maxRestarts": 2, "procPerNode": "4", "rdzvBackend": "c10d",
                                      "extraOptions": ["--redirects=3"]}
    assert spec["scheduler"] == {"t9kScheduler": {"queue": "default", "priority": 50}}
    assert spec["runPolicy"] == {"backoffLimit": 1, "cleanUpPolicy": "Unfinished", "activeDeadlineSeconds": 600}
    assert spec["tensorboardSpec"]["logDir"] == {"pvc": [{"name": "shared", "subPath": ["runs"]}]}
    assert spec["runMode"] == {"debug": {"enabled": True}}
    [group] = spec["replicaSpecs"]
    assert (group["type"], group["replicas"], group["restartPolicy"]) == ("worker", 2, "ExitCode")
    pod = group["template"]["spec"]
    assert pod["volumes"] == [{"name": "data", "persistentVolumeClaim": {"claimName": "shared"}},
                              {"name": "shm", "emptyDir": {"medium": "Memory"}}]
    [container] = pod["containers"]
    assert container == {
        **container, "name": "pytorch", "image": "host", "args": ["train.py", "--name=a b"], "workingDir": "/data",
        "env": [{"name": "MODE", "value": "on"},
                {"name": "TOKEN", "valueFrom": {"secretKeyRef": {"name": "keys", "key": "token"}}}],
        "volumeMounts": [{"name": "data", "mountPath": "/data"}, {"name": "shm", "mountPath": "/dev/shm"}]}
    assert container["resources"]["limits"] == limits and container["resources"]["requests"]["cpu"] == "100m"
    made.kubectl("delete", "pytorchtrainingjob", "all-fields")


def fill_mpi(maker):
    maker.text("MPI home", "/usr/local")
    maker.text("Program", "python /data/train.py")
    maker.text("Extra arguments of mpirun", "-N 1")
    maker.add("MCA parameters")
    maker.text("Key", "btl")
    maker.text("Value", "^openib")
    maker.switch("Clean up workers")
    return {"mpiConfig": {"home": "/usr/local", "script": ["python", "/data/train.py"], "extraArgs": ["-N", "1"],
                          "mca": {"btl": "^openib"}},
            "ssh": {"sshdPath": "/usr/sbin/sshd", "sshAuthMountPath": "/root/.ssh"},
            "runPolicy": {"cleanUpWorkers": True}}, ["worker"]


def fill_generic(maker):
    maker.choose("Clean-up policy", "All")
    maker.number("Replicas", "2")
    maker.add("Success rules")
    maker.text("Indexes", "0, 1")
    maker.add("Service ports")
    maker.number("Port", "7000")
    maker.number("Restart limit", "3")
    return {"successRules": [{"worker": [0, 1]}], "cleanUpPolicy": "All",
            "service": {"ports": [{"name": "port-1", "port": 7000, "protocol": "TCP"}]}}, ["worker"]


def fill_tensorflow(maker):
    maker.page.get_by_role("button", name="Add Type").click()
    maker.choose("Type", "ps", 1)
    maker.text("Image", "host", 1)
    return {}, ["worker", "ps"]


def fill_xgboost(maker):
    maker.text("Image", "host", 1)
    assert maker.page.get_by_role("button", name="Add Type").is_disabled(), "there are no others"
    return {}, ["master", "worker"]


@pytest.mark.parametrize(("kind", "plural", "fill"), [
    ("MPI", "mpijobs.batch.tensorstack.dev", fill_mpi), ("Generic", "genericjobs", fill_generic),
    ("TensorFlow", "tensorflowtrainingjobs", fill_tensorflow), ("XGBoost", "xgboosttrainingjobs", fill_xgboost)])
def test_form_of_each_other_kind(maker, made, kind, plural, fill):
    name = f"form-{kind.lower()}"
    maker.open_form(kind)
    maker.text("Name", name)
    maker.text("Image", "host")
    wanted, types = fill(maker)
    maker.check_accessibility()
    maker.create()
    maker.expect_listed(name)
    spec = spec_of(made, plural, name)
    assert {field: spec[field] for field in wanted} == wanted
    assert [group["type"] for group in spec["replicaSpecs"]] == types
    made.kubectl("delete", plural, name)


def test_entries_come_back_however_fast_somebody_is(maker):
    """Away from the form and back before the browser has drawn anything."""
    maker.open_form("PyTorch")
    maker.text("Name", "in-a-hurry")
    maker.page.evaluate("""async () => {
        for (const address of ['#/overview', '#/jobs/create/PyTorchTrainingJob']) {
            location.hash = address;
            dispatchEvent(new Event('hashchange'));
            for (let i = 0; i < 50; i++) await undefined;
        }
    }""")
    name = maker.page.get_by_role("textbox", name="Name", exact=True)
    assert name.input_value() == "", "it is another form"
    maker.page.get_by_role("button", name="Restore earlier entries").click()
    expect_soon("the name", lambda: name.input_value() == "in-a-hurry", name.input_value)


# ---- from another job ----------------------------------------------------------------------------


def test_job_is_imported_and_cloned(maker, made):
    page = maker.page
    source = {"apiVersion": BATCH, "kind": "GenericJob",
              "metadata": {"name": "source", "labels": {"team": "vision"},
                           "annotations": {"trainyard.dev/port": "29999"}},
              "spec": {"runMode": {"pause": {"enabled": True}},
                       "replicaSpecs": [{"type": "node", "replicas": 3, "template": {"spec": {"containers": [
                           {"name": "main", "image": "host", "args": ["a b", "$(rank)"],
                            "resources": {"limits": {"cpu": "100m", "memory": "16Mi"}}}]}}}]}}
    made.create(source)
    maker.open_form("Generic")
    page.get_by_role("button", name="Import Generic").click()
    maker.check_accessibility()
    page.get_by_role("dialog").get_by_role("button", name="source").click()
    assert page.get_by_role("textbox", name="Arguments").input_value() == '"a b" $(rank)'
    assert page.get_by_role("textbox", name="Name", exact=True).input_value() == "source-copy"
    assert page.locator(".kept code").all_inner_texts() == ["metadata.labels"]
    page.goto(f"http://{made.console}/#/jobs/create/GenericJob?from=default/source")
    page.reload()
    name = page.get_by_role("textbox", name="Name", exact=True)
    expect_soon("the clone", lambda: name.input_value() == "source-copy", name.input_value)
    maker.create()
    maker.expect_listed("source-copy")
    copy = made.get("genericjob", "source-copy")
    assert copy["metadata"]["labels"] == {"team": "vision"}
    assert copy["metadata"].get("annotations", {}).get("trainyard.dev/port") != "29999", "the port of the other"
    assert copy["spec"]["replicaSpecs"][0]["replicas"] == 3 and "runMode" not in copy["spec"]
    made.kubectl("delete", "genericjob", "source-copy")
    page.goto(f"http://{made.console}/#/jobs/create/GenericJob?from=default/nothing")
    page.reload()
    page.get_by_text('genericjobs.batch.tensorstack.dev "nothing" not found').wait_for()
    maker.forgive_refusals()


def test_sample_is_a_whole_job(maker, made):
    page = maker.page
    maker.open_form("PyTorch")
    page.get_by_role("button", name="Samples").click()
    page.get_by_role("button", name="Parameter server").click()
    form = page.get_by_role("heading", name="ps", exact=True)
    form.wait_for()
    maker.text("Name", "from-sample")
    maker.go("Overview")
    form.wait_for(state="detached")
    page.go_back()
    page.get_by_role("button", name="Restore earlier entries").click()
    maker.create()
    maker.expect_listed("from-sample")
    wait_for("its types", lambda: [group["type"] for group in spec_of(made, "pytorchtrainingjob", "from-sample")[
        "replicaSpecs"]] == ["ps", "worker"])
    made.kubectl("delete", "pytorchtrainingjob", "from-sample")
