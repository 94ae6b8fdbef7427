"""The console's pages of volumes and their files, Secrets, ConfigMaps, queues and nodes, in Chromium."""

import base64
import os

import pytest
from harness import wait_for
from jobs import pod, with_volume
from pages import Visitor, chromium, expect_soon  # noqa: F401 (a fixture)

HOSTILE = [b"<img src=x onerror=alert(1)>.txt", "\u202egpj.exe".encode(), b"a\nb", b"\xff\xfe"]


@pytest.fixture
def visitor(chromium, shared_server):  # noqa: F811
    made = Visitor(chromium, shared_server, "en")
    yield made
    made.close()


@pytest.fixture(scope="module")
def data(shared_server):
    """A volume with files that jobs have left; its folder."""
    assert shared_server.cli("data", "create", "data").code == 0
    folder = shared_server.data / "volumes/default/data"
    (folder / "runs").mkdir()
    (folder / "runs/log.txt").write_text("epoch 1\n")
    (folder / "config.yaml").write_bytes(b"rate: 0.1\r\nsteps: 3\r\n")
    os.symlink("/etc/passwd", folder / "escape")
    for name in HOSTILE:
        (open(os.fsencode(folder) + b"/runs/" + name, "w")).close()
    return folder


def menu(visitor, name, entry):
    visitor.page.get_by_role("button", name=f"Actions for {name}").click()
    visitor.page.get_by_role("button", name=entry, exact=True).last.click()


def expect_files(visitor, *names):
    """Names alone, without where a link leads."""
    expect_soon(f"the files {names}", lambda: [r.split(" →")[0] for r in visitor.rows()] == list(names), visitor.rows)


def forgive(visitor):
    """The browser tells of each request that the server refuses; these were meant to be."""
    visitor.complaints = [each for each in visitor.complaints if "the server responded with a status of 4" not in each]


def open_files(visitor, claim):
    visitor.go("Volumes")
    visitor.page.get_by_role("row", name=claim).get_by_role("link", name="Open").click()
    visitor.page.get_by_role("navigation", name="Folders").wait_for()


# ---- volumes -------------------------------------------------------------------------------------


def test_a_volume_is_made_by_its_form_expanded_and_deleted(visitor, shared_server):
    page = visitor.page
    visitor.go("Volumes")
    page.get_by_role("link", name="Create PVC").click()
    page.get_by_role("button", name="Create", exact=True).click()
    page.get_by_text("This field is required.").wait_for()
    visitor.text("Name", "models")
    page.get_by_role("textbox", name="Size").fill("2Gi")
    visitor.check_accessibility()
    page.get_by_role("button", name="Preview YAML").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_text("PersistentVolumeClaim").wait_for()
    dialog.get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Create", exact=True).click()
    row = page.get_by_role("row", name="models")
    row.get_by_text("Bound").first.wait_for()
    assert "2Gi" in row.inner_text() and "ReadWriteMany" in row.inner_text() and "local" in row.inner_text()
    visitor.check_accessibility()
    menu(visitor, "models", "Expand")
    dialog = page.get_by_role("dialog")
    assert "more than the present size, 2Gi" in dialog.inner_text()
    assert dialog.get_by_role("button", name="OK").is_disabled()
    dialog.get_by_label("Size").fill("3Gi")
    dialog.get_by_role("button", name="OK").click()
    row.get_by_text("3Gi").wait_for()
    menu(visitor, "models", "Delete")
    dialog = page.get_by_role("dialog")
    dialog.get_by_text("all files on it are lost").wait_for()
    dialog.get_by_role("button", name="Delete").click()
    row.wait_for(state="detached")
    assert shared_server.get("pvc", "models") is None


def test_a_name_that_is_taken_is_told_in_the_servers_words(visitor, data):
    page = visitor.page
    visitor.go("Volumes")
    page.get_by_role("link", name="Create PVC").click()
    visitor.text("Name", "data")
    page.get_by_role("button", name="Create", exact=True).click()
    page.get_by_text('persistentvolumeclaims "data" already exists').wait_for()
    assert page.get_by_label("Name").input_value() == "data", "what was typed stays"
    forgive(visitor)


def test_who_uses_a_volume_is_told_before_it_goes(visitor, shared_server, data):
    page = visitor.page
    shared_server.create(with_volume(pod("trains", "exec sleep 600", grace=0), "data"))
    shared_server.wait_phase("trains", "Running", "pod")
    visitor.go("Volumes")
    page.get_by_role("link", name="data", exact=True).click()
    page.get_by_role("link", name="trains").wait_for()
    page.get_by_role("button", name="Delete").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_text("These pods still use it: trains.").wait_for()
    dialog.get_by_role("button", name="Cancel").click()
    visitor.check_accessibility()
    shared_server.kubectl("delete", "pod", "trains")


# ---- files ---------------------------------------------------------------------------------------


def test_a_file_goes_from_upload_to_pod_to_editor_to_download(visitor, shared_server, data, tmp_path):
    page = visitor.page
    open_files(visitor, "data")
    expect_files(visitor, "runs", "config.yaml", "escape")
    (tmp_path / "new.txt").write_text("from the browser\n")
    page.get_by_label("Upload", exact=True).last.set_input_files(tmp_path / "new.txt")
    page.get_by_role("region", name="Uploads").get_by_text("done").wait_for()
    expect_files(visitor, "runs", "config.yaml", "escape", "new.txt")
    shared_server.create(with_volume(pod("reads", "cat /volume/new.txt; echo and back >> /volume/new.txt"), "data"))
    shared_server.wait_phase("reads", "Succeeded", "pod")
    assert shared_server.kubectl("logs", "reads") == "from the browser\n"
    page.get_by_role("link", name="new.txt").click()
    editor = page.get_by_role("textbox", name="Content")
    editor.get_by_text("and back").wait_for()
    visitor.check_accessibility()
    editor.press("Control+End")
    editor.press_sequentially("edited")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("Saved", exact=True).wait_for()
    assert (data / "new.txt").read_text() == "from the browser\nand back\nedited"
    page.get_by_role("button", name="Close").click()
    page.get_by_role("button", name="Actions for new.txt").click()
    with page.expect_download() as got:
        page.get_by_role("link", name="Download").last.click()
    assert got.value.suggested_filename == "new.txt"
    got.value.save_as(tmp_path / "back")
    assert (tmp_path / "back").read_text().endswith("edited")
    menu(visitor, "new.txt", "Rename")
    page.get_by_role("dialog").get_by_label("New name").fill("renamed.txt")
    page.get_by_role("dialog").get_by_role("button", name="OK").click()
    expect_files(visitor, "runs", "config.yaml", "escape", "renamed.txt")
    menu(visitor, "renamed.txt", "Delete")
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect_files(visitor, "runs", "config.yaml", "escape")
    assert not (data / "renamed.txt").exists()


def test_folders_are_made_entered_and_removed(visitor, data):
    page = visitor.page
    open_files(visitor, "data")
    page.get_by_role("button", name="New folder").click()
    page.get_by_role("dialog").get_by_label("New name").fill("runs")
    page.get_by_role("dialog").get_by_role("button", name="OK").click()
    page.get_by_role("dialog").get_by_text("runs is there already").wait_for()
    forgive(visitor)
    page.get_by_role("dialog").get_by_label("New name").fill("数据 1")
    page.get_by_role("dialog").get_by_role("button", name="OK").click()
    page.get_by_role("link", name="数据 1").click()
    page.get_by_text("This folder is empty").wait_for()
    assert page.get_by_role("navigation", name="Folders").inner_text().split() == ["data", "数据", "1"]
    page.get_by_role("navigation", name="Folders").get_by_role("link", name="data").click()
    menu(visitor, "数据 1", "Delete")
    page.get_by_role("dialog").get_by_text("everything in it is lost").wait_for()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect_files(visitor, "runs", "config.yaml", "escape")


def test_names_that_deceive_are_shown_inert_and_can_be_removed(visitor, data):
    page = visitor.page
    open_files(visitor, "data")
    page.get_by_role("link", name="runs").click()
    assert page.get_by_role("link", name="log.txt").get_attribute("title") == "Opens the text"
    assert page.get_by_role("link", name="gpj.exe").get_attribute("title") == "Downloads the file"
    page.get_by_role("button", name="gpj.exe").click()
    assert "no text" in page.get_by_role("button", name="Edit").last.inner_text(), "an editor would break it"
    page.keyboard.press("Escape")
    shown = ["<img src=x onerror=alert(1)>.txt", "a\ufffdb", "log.txt", "\ufffdgpj.exe", "\ufffd\ufffd"]
    expect_soon("all names", lambda: sorted(visitor.rows()) == sorted(shown), visitor.rows)
    visitor.check_accessibility()
    menu(visitor, "\ufffd\ufffd", "Delete")
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    shown.remove("\ufffd\ufffd")
    expect_soon("it to be gone", lambda: sorted(visitor.rows()) == sorted(shown), visitor.rows)
    assert b"\xff\xfe" not in os.listdir(os.fsencode(data / "runs"))


def test_a_link_out_of_the_volume_leads_nowhere(visitor, data):
    page = visitor.page
    open_files(visitor, "data")
    assert "→ /etc/passwd" in page.get_by_role("row", name="escape").inner_text()
    menu(visitor, "escape", "Open")
    page.get_by_text("leads out of its volume").wait_for()
    forgive(visitor)


def test_a_change_by_somebody_else_is_not_overwritten_unasked(visitor, data):
    page = visitor.page
    open_files(visitor, "data")
    menu(visitor, "config.yaml", "Edit")
    editor = page.get_by_role("textbox", name="Content")
    editor.get_by_text("steps").wait_for()
    editor.press("Control+End")
    editor.press_sequentially("mine: 1")
    (data / "config.yaml").write_bytes(b"theirs\r\n")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("was changed meanwhile").wait_for()
    assert (data / "config.yaml").read_bytes() == b"theirs\r\n"
    page.get_by_role("button", name="Overwrite").click()
    page.get_by_text("Saved", exact=True).wait_for()
    assert (data / "config.yaml").read_bytes() == b"rate: 0.1\r\nsteps: 3\r\nmine: 1", "ends of lines stay"
    forgive(visitor)


def test_replacing_is_asked_for(visitor, data, tmp_path):
    page = visitor.page
    (data / "old.txt").write_text("old")
    (tmp_path / "old.txt").write_text("new")
    open_files(visitor, "data")
    chooser = page.get_by_label("Upload", exact=True).last
    chooser.set_input_files(tmp_path / "old.txt")
    page.get_by_role("dialog").get_by_text("These are there already: old.txt").wait_for()
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    assert (data / "old.txt").read_text() == "old"
    chooser.set_input_files(tmp_path / "old.txt")
    page.get_by_role("dialog").get_by_role("button", name="Replace").click()
    wait_for("it to be replaced", lambda: (data / "old.txt").read_text() == "new")
    (data / "old.txt").unlink()


def test_files_are_dropped(visitor, data):
    page = visitor.page
    open_files(visitor, "data")
    drop = """(bytes) => {
        const transfer = new DataTransfer();
        transfer.items.add(new File(['x'.repeat(bytes)], 'dropped.bin'));
        const folder = document.querySelector('.folder');
        for (const type of ['dragover', 'drop'])
            folder.dispatchEvent(new DragEvent(type, {dataTransfer: transfer, bubbles: true, cancelable: true}));
    }"""
    page.evaluate(drop, 5_000_000)
    page.get_by_role("region", name="Uploads").get_by_text("done").wait_for()
    page.get_by_role("row", name="dropped.bin").get_by_text("4.77 MiB").wait_for()
    assert (data / "dropped.bin").stat().st_size == 5_000_000
    page.get_by_role("button", name="Clear the list").click()
    (data / "dropped.bin").unlink()


def test_a_volume_that_may_only_be_read_says_why(visitor, shared_server):
    folder = shared_server.folder / "fixed"
    folder.mkdir()
    (folder / "file").write_text("x")
    assert shared_server.cli("data", "create", "fixed", "--path", folder, "--read-only").code == 0
    open_files(visitor, "fixed")
    visitor.page.get_by_text("This volume may only be read").wait_for()
    button = visitor.page.get_by_role("button", name="Upload")
    assert button.is_disabled() and "trainyard.dev/read-only" in button.get_attribute("title")
    visitor.check_accessibility()


def test_files_in_chinese(chromium, shared_server, data):  # noqa: F811
    visitor = Visitor(chromium, shared_server, "zh")
    visitor.go("持久卷")
    visitor.page.get_by_role("row", name="data").get_by_role("link", name="打开").click()
    for word in ["上传", "新建文件夹", "新建文件", "重新加载"]:
        visitor.page.get_by_role("button", name=word, exact=True).wait_for()
    visitor.check_accessibility()
    visitor.close()


# ---- Secrets and ConfigMaps ----------------------------------------------------------------------


def test_a_secret_is_made_hidden_shown_and_changed(visitor, shared_server):
    page = visitor.page
    visitor.go("Secret")
    page.get_by_role("link", name="Create Secret").click()
    visitor.text("Name", "tokens")
    page.get_by_label("Key").fill("api")
    page.get_by_role("textbox", name="Value").fill("geheim ö")
    visitor.check_accessibility()
    page.get_by_role("button", name="Create", exact=True).click()
    page.get_by_role("link", name="tokens").click()
    page.get_by_role("button", name="Show api").wait_for()
    assert "geheim" not in page.locator("main").inner_text()
    page.get_by_role("button", name="YAML").click()
    page.get_by_role("dialog").get_by_text("(hidden)").wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Show api").click()
    page.get_by_text("geheim ö").wait_for()
    visitor.check_accessibility()
    page.get_by_role("button", name="Edit").click()
    page.get_by_role("textbox", name="Value").fill("neu")
    page.get_by_role("button", name="Save").click()
    page.get_by_role("link", name="tokens").wait_for()
    stored = shared_server.get("secret", "tokens")
    assert base64.b64decode(stored["data"]["api"]) == b"neu" and stored["type"] == "Opaque"


def test_a_secret_for_a_registry_and_one_for_ssh(visitor, shared_server):
    page = visitor.page
    visitor.go("Secret")
    page.get_by_role("link", name="Create Secret").click()
    visitor.text("Name", "pull")
    page.get_by_label("Type").select_option("kubernetes.io/dockerconfigjson")
    for label, text in [("Registry", "registry.example"), ("User", "me"), ("Password", "p")]:
        page.get_by_label(label).fill(text)
    page.get_by_role("button", name="Create", exact=True).click()
    page.get_by_role("link", name="pull").wait_for()
    stored = shared_server.get("secret", "pull")
    assert b'"registry.example"' in base64.b64decode(stored["data"][".dockerconfigjson"])
    page.get_by_role("link", name="Create Secret").click()
    page.get_by_role("button", name="Import Secret").click()
    page.get_by_role("dialog").get_by_role("button", name="pull").click()
    assert page.get_by_label("Name").input_value() == "pull-copy" and page.get_by_label("User").input_value() == "me"
    visitor.text("Name", "key")
    page.get_by_label("Type").select_option("kubernetes.io/ssh-auth")
    page.get_by_label("Private key").fill("-----BEGIN")
    page.get_by_role("button", name="Create", exact=True).click()
    page.get_by_role("link", name="key", exact=True).wait_for()
    assert base64.b64decode(shared_server.get("secret", "key")["data"]["ssh-privatekey"]) == b"-----BEGIN\n"


def test_a_config_map_is_made_changed_and_deleted(visitor, shared_server):
    page = visitor.page
    visitor.go("ConfigMap")
    page.get_by_role("link", name="Create ConfigMap").click()
    visitor.text("Name", "settings")
    page.get_by_label("Key").fill("a.yaml")
    page.get_by_role("textbox", name="Value").fill("rate: 1\n")
    page.get_by_role("button", name="Create", exact=True).click()
    page.get_by_role("link", name="settings").click()
    page.get_by_text("rate: 1").wait_for()
    visitor.check_accessibility()
    page.get_by_role("button", name="Edit").click()
    page.get_by_role("button", name="Add: Entries").click()
    page.get_by_label("Key").last.fill("a.yaml")
    page.get_by_text("There is another one of this key.").wait_for()
    page.get_by_label("Key").last.fill("b")
    page.get_by_role("button", name="Save").click()
    page.get_by_role("link", name="settings").wait_for()
    assert shared_server.get("configmap", "settings")["data"] == {"a.yaml": "rate: 1\n", "b": ""}
    menu(visitor, "settings", "Delete")
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    page.get_by_role("link", name="settings").wait_for(state="detached")


# ---- queues and nodes ----------------------------------------------------------------------------


def test_a_node_tells_what_is_asked_of_it_and_is_closed_and_opened(visitor, shared_server):
    page = visitor.page
    shared_server.create(pod("asks", "exec sleep 600", grace=0, resources={"requests": {"cpu": "500m", "memory": "64Mi"}}))
    shared_server.wait_phase("asks", "Running", "pod")
    visitor.go("Node")
    row = page.locator("main tbody tr").first
    expect_soon("its share", lambda: "500.00m of" in row.inner_text(), row.inner_text)
    visitor.check_accessibility()
    row.get_by_role("link").click()
    page.get_by_role("link", name="asks").wait_for()
    visitor.check_accessibility()
    page.get_by_role("button", name="Take no new pods").click()
    page.get_by_role("dialog").get_by_role("button", name="Take no new pods").click()
    page.get_by_text("Ready,SchedulingDisabled").wait_for()
    assert shared_server.list("node")[0]["spec"]["unschedulable"] is True
    page.get_by_role("button", name="Take pods again").click()
    page.get_by_text("Ready,SchedulingDisabled").wait_for(state="detached")
    shared_server.kubectl("delete", "pod", "asks")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_queue_tells_its_share_and_who_is_in_it(chromium, shared_server, language):  # noqa: F811
    visitor = Visitor(chromium, shared_server, language)
    page = visitor.page
    shared_server.kubectl("apply", "-f", "-", input="""
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: gpu}
spec: {weight: 3, capability: {cpu: 8}}
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: PodGroup
metadata: {name: gang}
spec: {queue: gpu, minMember: 2}
""")
    visitor.go({"en": "Queue", "zh": "队列"}[language])
    row = page.get_by_role("row", name="gpu")
    expect_soon("what it may have", lambda: "cpu: 8" in row.inner_text(), row.inner_text)
    row.get_by_role("link", name="gpu").click()
    page.get_by_role("rowheader", name="gang").wait_for()
    visitor.check_accessibility()
    visitor.close()
