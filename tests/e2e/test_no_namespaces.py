"""For someone who is not root on a machine that grants no namespaces. A pod without them could read the token
and everybody's files, so none runs; each says what is missing and how to allow it, and the server goes on."""

import re

import pytest
from harness import wait_for
from jobs import pod, shell_job, with_volume
from servers import UserServer, as_user, run_server

# A user namespace around the server, whose own limit can be set without touching the machine's.
CLOSED = ["unshare", "--user", "--map-current-user", "--keep-caps", "sh", "-c",
          'echo 0 > /proc/sys/user/max_user_namespaces && exec setpriv --ambient-caps=-all --inh-caps=-all "$@"', "sh"]


class ClosedServer(UserServer):
    def cli(self, *args, input=None, timeout=60.0):
        closed = CLOSED if args[0] == "up" else []
        return self.run(as_user(*closed, self.program, *args), input, timeout)


@pytest.fixture
def server(user):
    yield from run_server(ClosedServer, user)


ADVICE = r"mount, UTS and PID namespaces for the volumes at .* cannot be made: .*; allow them with " \
         r"`sysctl -w user.max_user_namespaces=10000`, or run the server as root"


def test_a_pod_says_which_mounts_cannot_be_made_and_how_to_allow_them(server):
    folder = server.volume("work")
    server.create(with_volume(pod("lone", "touch /volume/ran; echo ran"), "work"))
    status = server.wait_phase("lone", "Failed", "pod")["status"]
    ended = status["containerStatuses"][0]["state"]["terminated"]
    assert ended["reason"] == "StartError" and re.search(ADVICE, ended["message"]), ended
    assert "/volume" in ended["message"] and list(folder.iterdir()) == []
    assert re.search(r"lone +0/1 +StartError ", server.kubectl("get", "pod", "lone"))
    assert re.search(ADVICE, server.kubectl("describe", "pod", "lone"))
    assert server.kubectl("logs", "lone") == ""


def test_a_job_fails_with_that_sentence_and_leaves_nothing(server):
    server.create(shell_job("plain", "echo ran"))
    server.wait_phase("plain", "Failed")
    told = server.cli("get", "plain")
    assert told.code == 0 and re.search(ADVICE, " ".join(told.out.split())), repr(told)
    assert server.cli("delete", "plain").code == 0
    wait_for("its folders to go", lambda: not list((server.data / "pods").iterdir()), 5)
    assert server.cli("down", "--all").code == 0
    assert server.leftovers() == []
