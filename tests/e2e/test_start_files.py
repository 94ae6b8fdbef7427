"""Every file that a server reads at its start: one that is damaged is made anew, with a word, or refused in words."""

import os
import shutil
import stat

import pytest
from jobs import config_map, pod
from wire import Wire

MAPS = "/api/v1/namespaces/default/configmaps"
DAMAGE = {"empty": b"", "garbled": bytes(range(256)) * 2, "short": b"abc", "blank": b" " * 48, "zeros": b"\0" * 48}


def stop(server):
    assert server.cli("down").code == 0


@pytest.mark.parametrize("kind", DAMAGE)
@pytest.mark.parametrize("name", ["session.key", "admin.token"])
def test_a_damaged_secret_is_made_anew(server, name, kind):
    file = server.data / "pki" / name
    before = file.read_text()
    stop(server)
    file.write_bytes(DAMAGE[kind])
    server.up()
    made = file.read_text()
    assert len(made) == 48 and int(made, 16) and made != before
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert str(file) in server.log_tail() and "made anew" in server.log_tail()
    assert server.get("namespace", "default"), "the kubeconfig has what is there now"
    for guess in ["", before if name == "admin.token" else "x"]:
        assert server.api("/api", guess)[0] == 401, repr(guess)


def test_a_token_with_the_end_of_its_line_is_taken(server):
    file = server.data / "pki/admin.token"
    stop(server)
    own = "my-own-token-of-more-than-32-characters"
    file.write_text(own + "\n")
    server.up()
    assert server.api("/api", own)[0] == 200 and file.read_text() == own + "\n"


@pytest.mark.parametrize("name", ["ca.crt", "ca.key", "sa.key"])
@pytest.mark.parametrize("kind", ["empty", "garbled"])
def test_what_others_rely_on_is_refused_in_words(server, name, kind):
    file = server.data / "pki" / name
    good = file.read_bytes()
    stop(server)
    file.write_bytes(DAMAGE[kind])
    refused = server.try_up()
    assert refused.code == 1 and str(file) in refused.err, repr(refused)
    assert "backup" in refused.err and "remove" in refused.err, repr(refused)
    assert file.read_bytes() == DAMAGE[kind], "it is left as it is"
    file.write_bytes(good)
    server.up()


@pytest.mark.parametrize("name", ["ca.crt", "ca.key"])
def test_half_an_authority_is_refused(server, name):
    file = server.data / "pki" / name
    good = file.read_bytes()
    stop(server)
    file.unlink()
    refused = server.try_up()
    assert refused.code == 1 and "is missing" in refused.err and str(file) in refused.err, repr(refused)
    assert not file.exists()
    file.write_bytes(good)
    server.up()


def test_another_authoritys_key_is_refused(server):
    stop(server)
    file = server.data / "pki/ca.key"
    good = file.read_bytes()
    shutil.copy(server.data / "pki/sa.key", file)
    refused = server.try_up()
    assert refused.code == 1 and "the key is another certificate's" in refused.err, repr(refused)
    file.write_bytes(good)
    server.up()


def test_without_its_authority_a_server_makes_a_new_one_and_says_so(server):
    stop(server)
    for name in ["ca.crt", "ca.key"]:
        (server.data / "pki" / name).unlink()
    server.up()
    assert "everybody needs a new kubeconfig" in server.log_tail()
    assert server.get("namespace", "default")


@pytest.mark.parametrize("kind", ["empty", "cut", "not executable"])
def test_a_damaged_shim_is_written_anew(server, kind):
    stop(server)
    shim, = (server.data / "bin").glob("shim-*")
    good = shim.read_bytes()
    if kind == "not executable":
        shim.chmod(0o600)
    else:
        shim.unlink()  # one that runs is not written to
        shim.write_bytes(b"" if kind == "empty" else good[: len(good) // 2])
        shim.chmod(0o700)
    server.up()
    assert shim.read_bytes() == good and stat.S_IMODE(shim.stat().st_mode) == 0o700
    assert f"{shim}" in server.log_tail() and "written anew" in server.log_tail()
    server.create(pod("runs", "exit 0"))
    server.wait_phase("runs", "Succeeded", "pod")


@pytest.mark.parametrize("text", ["9223372036854775807\n", "9223372036854775000\n", "9999999999999999999\n",
                                  "9007199254740993\n", "", "x\n", "-1\n", "7\n8\n"])
def test_a_revision_that_cannot_be_is_refused_in_words(server, text):
    file = server.data / "store.revision"
    stop(server)
    good = file.read_text()
    file.write_text(text)
    refused = server.try_up()
    assert refused.code == 1 and f"{file} is damaged" in refused.err and "remove it" in refused.err, repr(refused)
    assert file.read_text() == text
    file.write_text(good)
    server.up()


@pytest.mark.parametrize("name", ["sessions/console.json", "sessions/apps.json", "kubeconfig", "server.json"])
def test_what_can_be_had_anew_is_no_reason_not_to_start(server, name):
    stop(server)
    file = server.data / name
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(DAMAGE["garbled"])
    server.up()
    assert server.get("namespace", "default") and server.status()


# ---- acknowledged writes that are missing --------------------------------------------------------


@pytest.fixture
def killed(server):
    """A server that was killed with writes in its write-ahead log."""
    wire = Wire(server)
    for i in range(60):
        assert wire.ask("POST", MAPS, config_map(f"kept-{i}", a="x" * 3000)).code == 201
    server.kill()
    log = server.data / "store.db-wal"
    assert log.stat().st_size > 100_000
    server.wal = log
    yield server


def maps(server):
    return sum(one["metadata"]["name"].startswith("kept-") for one in server.list("configmaps"))


def test_kill_is_never_taken_for_loss(server):
    wire = Wire(server)
    count = 0
    for round_ in range(5):
        for _ in range(7 * (round_ + 1)):
            assert wire.ask("POST", MAPS, config_map(f"kept-{count}", a="x" * 1000)).code == 201
            count += 1
        server.kill()
        server.up()
        wire = Wire(server)
        assert maps(server) == count
    assert "acknowledged" not in (server.data / "server.log").read_text()


LOSS = {
    "the log is gone": lambda file: file.unlink(),
    "the log is empty": lambda file: os.truncate(file, 0),
    "the log is cut": lambda file: os.truncate(file, file.stat().st_size // 2),
    "the log's header is damaged": lambda file: patch(file, 4),
    "the log is damaged in the middle": lambda file: patch(file, file.stat().st_size // 2),
}


def patch(file, offset):
    with open(file, "r+b") as log:
        log.seek(offset)
        old = log.read(16)
        log.seek(offset)
        log.write(bytes(byte ^ 0xA5 for byte in old))


@pytest.mark.parametrize("kind", LOSS)
def test_lost_writes_are_told_and_must_be_accepted(killed, kind):
    server = killed
    LOSS[kind](server.wal)
    left = server.wal.read_bytes() if server.wal.exists() else None
    for _ in range(2):
        refused = server.try_up()
        assert refused.code == 1, repr(refused)
        for words in [str(server.data / "store.db"), "acknowledged", "trainyard restore", "--accept-loss"]:
            assert words in refused.err, repr(refused)
        if left:
            assert server.wal.read_bytes() == left, "it stays for who wants to look"
    server.up("--accept-loss")
    assert "goes on without writes that were acknowledged" in server.log_tail()
    assert maps(server) < 60
    server.create(config_map("kept-later", a="1"))
    count = maps(server)
    server.kill()
    server.up()
    assert maps(server) == count, "once was enough"


def test_a_store_that_is_gone_is_told(server):
    server.create(config_map("kept-1", a="1"))
    stop(server)
    for file in server.data.glob("store.db*"):
        file.unlink()
    refused = server.try_up()
    assert refused.code == 1 and "--accept-loss" in refused.err, repr(refused)
    assert not (server.data / "store.db").exists()
    server.up("--accept-loss")
    assert maps(server) == 0


def test_an_older_copy_in_its_place_is_told(server):
    server.create(config_map("kept-1", a="1"))
    stop(server)
    copy = server.folder / "copy.db"
    shutil.copy(server.data / "store.db", copy)
    server.up()
    server.create(config_map("kept-2", a="1"))
    stop(server)
    shutil.copy(copy, server.data / "store.db")
    refused = server.try_up()
    assert refused.code == 1 and "an older copy was put in its place" in refused.err, repr(refused)
    server.up("--accept-loss")
    assert maps(server) == 1


@pytest.mark.parametrize("left", ["", "first line"])
def test_a_store_of_an_older_version_opens_and_says_once(server, left):
    server.create(config_map("kept-1", a="1"))
    stop(server)
    file = server.data / "store.revision"
    if left:
        file.write_text(file.read_text().split("\n")[0] + "\n")
    else:
        file.unlink()
    said = "from now on a write-ahead log that is lost is noticed"
    server.up()
    assert server.log_tail(200).count(said) == 1 and maps(server) == 1
    stop(server)
    server.up()
    assert (server.data / "server.log").read_text().count(said) == 1
