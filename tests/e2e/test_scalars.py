"""trainyard scalars: event files of the real torch.utils.tensorboard, read back as TensorBoard's own loader reads them."""

import csv
import io
import json
import os
import signal
import struct
import subprocess
import time

import pytest
from apps_client import tensorboard
from harness import TRAINYARD, VENV
from jobs import shell_job

# Two runs, one in the other's folder: everything that SummaryWriter writes, and a program that was
# stopped and goes on from its checkpoint at step 30.
WRITE = """
import sys
import numpy as np
from torch.utils.tensorboard import SummaryWriter
folder = sys.argv[1]
rng = np.random.default_rng(7)
with SummaryWriter(folder) as writer:
    for step in range(200):
        writer.add_scalar("train/loss", 2 / (1 + step) + 0.01 * rng.standard_normal(), step)
        writer.add_scalar("train/double", 0.1 * step, step, new_style=True, double_precision=True)
        writer.add_scalar("test, \\"quoted\\"", float("nan") if step == 7 else step * 1e30, step, new_style=True)
    for step in range(3):
        counts, edges = np.histogram(rng.standard_normal(500) + step, bins=30)
        writer.add_histogram_raw("weights", float(edges[0]), float(edges[-1]), 500, 1.0, 2.0,
                                 [float(edge) for edge in edges[1:]], [int(count) for count in counts], step)
    writer.add_image("picture", np.zeros((3, 20, 30)), 5)
    writer.add_text("note", "what **was** done", 2)
    writer.add_hparams({"lr": 0.01, "net": "resnet", "amp": True}, {"best": 0.9}, run_name="trial")
for begin, end, purge in [(0, 50, 0), (30, 60, 30)]:
    with SummaryWriter(folder + "/nested/restarted", purge_step=purge, filename_suffix=f".{begin}") as writer:
        for step in range(begin, end):
            writer.add_scalar("loss", begin + 1 / (1 + step), step)
"""

# What TensorBoard makes of a folder.
LOAD = """
import json, sys
from tensorboard.backend.event_processing import plugin_event_multiplexer
from tensorboard.util import tensor_util
multiplexer = plugin_event_multiplexer.EventMultiplexer(tensor_size_guidance={
    plugin: 0 for plugin in ["scalars", "histograms", "images", "text"]})
multiplexer.AddRunsFromDirectory(sys.argv[1])
multiplexer.Reload()
all = {}
for run in multiplexer.Runs():
    tags = all[run] = {}
    for plugin in ["scalars", "histograms", "images", "text"]:
        for tag in multiplexer.PluginRunToTagToContent(plugin).get(run, {}):
            values = []
            for event in multiplexer.Tensors(run, tag):
                value = tensor_util.make_ndarray(event.tensor_proto)
                if plugin == "scalars":
                    value = repr(float(value.item()))
                elif plugin == "histograms":
                    value = value.tolist()
                else:
                    value = [item.decode("latin-1") for item in value.ravel()]
                values.append([event.step, event.wall_time, value])
            tags.setdefault(plugin, {})[tag] = values
print(json.dumps(all))
"""


def python(script, *args):
    done = subprocess.run([VENV / "bin/python", "-c", script, *map(str, args)], capture_output=True, text=True)
    if done.returncode != 0 and "ModuleNotFoundError" in done.stderr:
        pytest.skip(f".venv lacks something ({done.stderr.strip().splitlines()[-1]}): tools/setup python")
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def logs(tools, tmp_path_factory):
    folder = tmp_path_factory.mktemp("logs")
    python(WRITE, folder)
    return folder


@pytest.fixture(scope="module")
def loaded(logs):
    return json.loads(python(LOAD, logs))


def scalars(*args):
    done = subprocess.run([TRAINYARD, "scalars", *map(str, args)], capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


def read_csv(text):
    """run, tag -> [[step, wall time, value]]"""
    rows = list(csv.reader(io.StringIO(text)))
    assert rows[0] == ["run", "tag", "step", "wall_time", "value"]
    curves = {}
    for run, tag, step, wall_time, value in rows[1:]:
        curves.setdefault((run, tag), []).append([int(step), float(wall_time), repr(float(value))])
    return curves


def expected_curves(loaded):
    return {(run, tag): values for run, tags in loaded.items() for tag, values in tags.get("scalars", {}).items()}


def test_every_point_is_that_of_tensorboards_loader(logs, loaded):
    code, out, err = scalars("--logdir", logs, "--csv")
    assert code == 0 and err == ""
    expected = expected_curves(loaded)
    assert len(expected) == 5 and len(expected["nested/restarted", "loss"]) == 60
    assert read_csv(out) == expected


def test_histograms_images_texts_and_hyperparameters_too(logs, loaded):
    code, out, err = scalars("--logdir", logs, "-o", "json")
    assert code == 0 and err == ""
    told = json.loads(out)
    runs = {run["run"]: run for run in told["runs"]}
    assert sorted(runs) == sorted(loaded) == [".", "nested/restarted", "trial"]
    assert runs["trial"]["hparams"] == {"lr": 0.01, "net": "resnet", "amp": True}

    def values(kind):
        return {entry["tag"]: entry["values"] for entry in runs["."][kind]}

    def narrow(buckets):  # TensorBoard's loader makes floats of them
        return [list(struct.unpack("3f", struct.pack("3f", *bucket))) for bucket in buckets]
    histograms = {tag: [[one["step"], one["wallTime"], narrow(one["buckets"])] for one in all]
                  for tag, all in values("histograms").items()}
    assert histograms == loaded["."]["histograms"]
    (step, _, (width, height, png)), = loaded["."]["images"]["picture"]
    image, = values("images")["picture"]
    assert [image["step"], image["width"], image["height"], image["bytes"]] == [step, 30, 20, len(png)]
    assert (width, height) == ("30", "20")
    (tag, ((step, _, texts),)), = loaded["."]["text"].items()
    text, = values("texts")[tag]
    assert [text["step"], text["texts"]] == [step, texts]
    points = {entry["tag"]: entry["points"] for entry in runs["nested/restarted"]["scalars"]}
    assert [point[0] for point in points["loss"]] == list(range(60))


def test_the_table_and_plots_show_what_there_is(logs):
    code, out, err = scalars("--logdir", logs)
    assert code == 0 and err == ""
    rows = {tuple(line.split()[:2]): line.split() for line in out.splitlines()}
    assert rows["RUN", "TAG"][2:] == ["POINTS", "STEP", "VALUE", "MIN", "MAX"]
    assert rows[".", "train/loss"][2:4] == ["200", "199"]
    code, out, err = scalars("--logdir", logs, "--plot", "--tag", "train/*")
    assert code == 0 and err == ""
    titles = [line for line in out.splitlines() if line.startswith("train/")]
    assert titles == ["train/double (.)", "train/loss (.)"]
    assert sum("\u2800" < char < "\u2900" for char in out) > 100


def test_wrong_questions_get_an_answer(logs, tmp_path):
    code, _, err = scalars()
    assert code == 1 and "--logdir" in err
    code, _, err = scalars("--logdir", tmp_path / "nothing")
    assert code == 1 and "nothing" in err
    code, out, err = scalars("--logdir", tmp_path)
    assert code == 1 and "no event files" in err
    code, out, err = scalars("--logdir", logs, "--tag", "no such", "--csv")
    assert code == 1 and "no curves" in err and out == "run,tag,step,wall_time,value\n"
    code, _, err = scalars("--logdir", logs, "--csv", "--plot")
    assert code == 1 and "--plot" in err


def length_header(length):
    """The beginning of a record that says it is so long."""
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    head, sum = struct.pack("<Q", length), 0xFFFFFFFF
    for byte in head:
        sum = sum >> 8 ^ table[(sum ^ byte) & 255]
    sum ^= 0xFFFFFFFF
    return head + struct.pack("<I", ((sum >> 15 | sum << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def peak_megabytes(*args):
    """Of the program's memory, and what it printed."""
    # The kernel counts what a process had before it became another program: the largest process of
    # this one's is as large as this one, so a small one starts it and counts.
    count = ("import os, sys; child = os.spawnv(os.P_NOWAIT, sys.argv[1], sys.argv[1:]); "
             "_, status, usage = os.wait4(child, 0); print(usage.ru_maxrss, file=sys.stderr); "
             "sys.exit(os.waitstatus_to_exitcode(status))")
    done = subprocess.run([VENV / "bin/python", "-ISc", count, TRAINYARD, "scalars", *map(str, args)],
                          capture_output=True, text=True, timeout=60)
    *err, kilobytes = done.stderr.splitlines(keepends=True)
    return int(kilobytes) / 1024, done.returncode, done.stdout, "".join(err)


def test_what_is_damaged_is_skipped_and_counted(logs, loaded, tmp_path):
    good = next(path for path in logs.iterdir() if "tfevents" in path.name).read_bytes()
    first = 16 + struct.unpack("<Q", good[:8])[0]
    second = first + 16 + struct.unpack("<Q", good[first:first + 8])[0]
    whole = expected_curves(loaded)[".", "train/loss"]
    wrong = bytearray(good)
    wrong[first + 20] ^= 255  # in the first point of train/loss

    def write(name, *pieces):
        (tmp_path / name).mkdir()
        with open(tmp_path / name / "events.out.tfevents.1", "wb") as file:
            for piece in pieces:
                file.seek(piece, 1) if isinstance(piece, int) else file.write(piece)
    write("checksum", wrong)
    write("cut", good[:second + 30])
    write("endless", length_header(1 << 63), good)
    write("huge", good[:first], length_header(1 << 30), 1 << 30, b"\0\0\0\0", good[first:])
    write("noise", bytes(range(256)) * 40, good, os.urandom(1000))
    write("empty")
    (tmp_path / "swapped").mkdir()
    os.symlink("/etc/passwd", tmp_path / "swapped/events.out.tfevents.1")
    os.mkfifo(tmp_path / "swapped/events.out.tfevents.2")
    os.symlink(tmp_path, tmp_path / "circle")
    memory, code, out, err = peak_megabytes("--logdir", tmp_path, "--csv", "--tag", "train/loss")
    assert code == 0, err
    curves = {run: values for (run, _), values in read_csv(out).items()}
    assert curves == {"checksum": whole[1:], "cut": whole[:1], "endless": whole, "huge": whole, "noise": whole}
    assert "1 record has a wrong checksum" in err
    assert "1 record is too large" in err
    assert "no records and were skipped" in err
    assert "2 links were not followed" in err
    assert "within a record" in err
    assert memory < 100, f"{memory} MB"


def test_points_are_followed_while_they_are_written(logs, tmp_path):
    good = (next(path for path in (logs / "nested/restarted").iterdir() if path.name.endswith(".0"))).read_bytes()
    file = tmp_path / "events.out.tfevents.1"
    file.write_bytes(good[:1000])
    child = subprocess.Popen([TRAINYARD, "scalars", "--logdir", tmp_path, "--csv", "--follow"], text=True,
                             stdout=subprocess.PIPE)
    try:
        lines = [child.stdout.readline() for _ in range(5)]
        with open(file, "ab") as more:
            for at in range(1000, len(good), 500):
                more.write(good[at:at + 500])
                more.flush()
                time.sleep(0.05)
        while len(lines) < 51:
            lines.append(child.stdout.readline())
        (points,) = read_csv("".join(lines)).values()
        assert [point[0] for point in points] == list(range(50))
    finally:
        child.send_signal(signal.SIGINT)
        child.wait()


def test_a_jobs_curves_are_found_by_its_name(shared_server, logs, loaded):
    server = shared_server
    made = server.cli("data", "create", "curves", "--path", logs)
    assert made.code == 0, repr(made)
    job = shell_job("trained", "true")
    job["spec"]["tensorboardSpec"] = tensorboard("x", "curves", "nested")["spec"]
    server.create(job)
    server.create(shell_job("plain", "true"))
    expected = {("restarted", tag): values for (run, tag), values in expected_curves(loaded).items()
                if run == "nested/restarted"}
    done = server.cli("scalars", "trained", "--csv")
    assert done.code == 0 and read_csv(done.out) == expected, repr(done)
    done = server.cli("scalars", "--logdir", "curves:nested", "--csv")
    assert done.code == 0 and read_csv(done.out) == expected, repr(done)
    refused = server.cli("scalars", "plain")
    assert refused.code == 1 and "--logdir" in refused.err, repr(refused)
    # Somebody who may not see where volumes are gets the same through the API; who may not read them, nothing.
    for name, role in [("ann", "edit"), ("bob", "view")]:
        added = server.cli("user", "add", name, "--role", role, "--kubeconfig-out", server.folder / name)
        assert added.code == 0, repr(added)
    done = server.cli("--kubeconfig", server.folder / "ann", "scalars", "trained", "--csv")
    assert done.code == 0 and read_csv(done.out) == expected, repr(done)
    refused = server.cli("--kubeconfig", server.folder / "bob", "scalars", "trained", "--csv")
    assert refused.code == 1 and "files" in refused.err, repr(refused)
