"""torchrun starts where nobody has prepared anything for it: PyTorch 1.13 under Python 3.11 does not by itself."""

import os
import subprocess
import sys

import pytest
from harness import ROOT
from jobs import job, pod, replicas, shell_job, with_volume

SITE = ROOT / "src/node/python"
NAME = "torch.distributed.elastic.multiprocessing.api"
# How each torch reads the flags --redirects and --tee.
HEAD = """
from enum import IntFlag
class Std(IntFlag):
    NONE = 0
    OUT = 1
    ERR = 2
    ALL = OUT | ERR
"""
BROKEN = HEAD + """
    @classmethod
    def from_str(cls, text):
        def member(value):
            for flag in Std:
                if flag == int(value):
                    return flag
        if text == "x":
            raise ValueError(text)
        if ":" not in text:
            return member(text)
        return {int(pair.split(":")[0]): member(pair.split(":")[1]) for pair in text.split(",")}
"""
SOUND = HEAD + """
    @classmethod
    def from_str(cls, text):
        return "as it was"
"""
OTHER = "Std = None\n"


@pytest.fixture
def python(tmp_path):
    """Runs a line in a Python that has a torch with that module."""
    def run(module, line):
        folder = tmp_path.joinpath(*NAME.split(".")[:-1])
        folder.mkdir(parents=True, exist_ok=True)
        for above in [folder, *folder.parents]:
            if above == tmp_path:
                break
            (above / "__init__.py").touch()
        (folder / "api.py").write_text(module)
        done = subprocess.run([sys.executable, "-B", "-c", f"import sys, {NAME} as api\nfrom {NAME} import Std\n{line}"],
                              env={**os.environ, "PYTHONPATH": f"{tmp_path}:{SITE}"}, capture_output=True, text=True)
        return (done.stdout + done.stderr).strip()
    return run


@pytest.mark.skipif(sys.version_info < (3, 11), reason="flags are read well before Python 3.11")
def test_what_is_read_as_none_is_read_well(python):
    read = "print([Std.from_str(text) == value for text, value in {0: Std.NONE, 1: Std.OUT, 3: Std.ALL}.items() " \
           "for text in [str(text)]], Std.from_str('0:3,9:0') == {0: Std.ALL, 9: Std.NONE})"
    assert python(BROKEN, read) == "[True, True, True] True"
    assert python(BROKEN, "Std.from_str('x')").endswith("ValueError: x"), "what is wrong is told as before"


def test_other_versions_are_left_alone(python):
    assert python(SOUND, "print(Std.from_str('0'))") == "as it was"
    assert python(OTHER, "print(Std)") == "None"
    own = "print('exec_module' in vars(api.__spec__.loader), [finder for finder in sys.meta_path if 'Torch' in repr(finder)])"
    assert python(SOUND, own) == "False []", "nothing of the mender stays"
    assert python("raise ImportError('not here')", "").endswith("ImportError: not here")


# One write a line: sixteen processes share the log.
HELLO = """
import os
text = f"rank {os.environ['RANK']} of {os.environ['WORLD_SIZE']} {'PET_TEE' in os.environ}\\n"
os.write(1, text.encode())
"""


@pytest.fixture(scope="module")
def scripts(shared_server):
    folder = shared_server.folder / "scripts"
    folder.mkdir()
    (folder / "hello.py").write_text(HELLO)
    assert shared_server.cli("data", "create", "scripts", "--path", folder).code == 0
    return shared_server


def ranks(log, count):
    return sorted(line for line in log.splitlines() if "rank" in line) == sorted(
        f"rank {rank} of {count} False" for rank in range(count))


@pytest.mark.usefixtures("torch")
def test_sixteen_processes_of_a_command_in_a_job(scripts):
    command = "torchrun --nproc_per_node 16 /volume/hello.py"
    scripts.create(with_volume(shell_job("sixteen", command), "scripts"))
    scripts.wait_phase("sixteen", "Succeeded", timeout=120)
    assert ranks(scripts.cli("logs", "sixteen").out, 16)


@pytest.mark.usefixtures("torch")
def test_a_job_kind_that_starts_torchrun_itself(scripts):
    made = job("kind", replicas("", "node", 1), torchrunConfig={"enabled": True, "procPerNode": "2"})
    container = made["spec"]["replicaSpecs"][0]["template"]["spec"]["containers"][0]
    del container["command"]
    container["args"] = ["/volume/hello.py"]
    scripts.create(with_volume(made, "scripts"))
    scripts.wait_phase("kind", "Succeeded", timeout=120)
    assert ranks(scripts.cli("logs", "kind").out, 2)


@pytest.mark.usefixtures("torch")
def test_options_that_old_torchrun_reads_wrongly_in_a_pod_of_nobodys(scripts):
    command = "/usr/bin/python3 -m torch.distributed.run --nproc_per_node 2 --tee 3 /volume/hello.py"
    scripts.create(with_volume(pod("plain", command), "scripts"))
    scripts.wait_phase("plain", "Succeeded", kind="pod", timeout=120)
    log = scripts.kubectl("logs", "plain")
    assert sorted(line.partition("]:")[2] for line in log.splitlines() if "rank" in line) == [
        "rank 0 of 2 False", "rank 1 of 2 False"], log
