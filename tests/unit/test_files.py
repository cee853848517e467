"""Files written whole or not at all; links kept, pipes fed, and everything else refused in a sentence."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

import bender_core as bc
from bender_core.__main__ import main
from bender_core.files import write_whole
from bender_core.resources import SAMPLES
from tests.mounts import fill, mounted

ROOT = Path(__file__).parents[2]
TINY = str(SAMPLES / "tiny.mrf.json")
NEW, OLD = b"new content" * 1000, b"old content"


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def refused(path: Path) -> OSError:
    with pytest.raises(OSError, match=r".") as caught:
        write_whole(path, NEW)
    return caught.value


def test_a_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "a"
    write_whole(path, OLD)
    # Another program reads on in what it has opened.
    with path.open("rb") as reader:
        write_whole(path, NEW)
        assert reader.read() == OLD
    assert path.read_bytes() == NEW
    assert names(tmp_path) == ["a"]


def test_permissions_are_kept_and_a_new_file_has_the_usual_ones(tmp_path: Path) -> None:
    path, usual = tmp_path / "a", tmp_path / "usual"
    usual.touch()
    write_whole(path, OLD)
    assert path.stat().st_mode == usual.stat().st_mode
    path.chmod(0o751)
    write_whole(path, NEW)
    assert path.stat().st_mode & 0o7777 == 0o751


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away")
def test_the_owner_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(OLD)
    os.chown(path, 12345, 23456)
    path.chmod(0o6755)
    write_whole(path, NEW)
    found = path.stat()
    assert (found.st_uid, found.st_gid, found.st_mode & 0o7777, path.read_bytes()) == (12345, 23456, 0o6755, NEW)


def test_a_protected_file_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a"
    path.write_bytes(OLD)
    # Root may write everything.
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    assert (refused(path).filename, path.read_bytes()) == (str(path), OLD)


def test_a_full_disk_leaves_what_was_there(tmp_path: Path) -> None:
    with mounted(tmp_path / "disk", 64) as disk:
        path = disk / "a"
        path.write_bytes(OLD)
        fill(disk)
        error = refused(path)
        assert (error.filename, error.strerror) == (str(path), "No space left on device")
        assert path.read_bytes() == OLD
        assert len(list(disk.iterdir())) == 2, "the file, and what fills the disk"


def test_ctrl_c_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    path = tmp_path / "a"
    path.write_bytes(OLD)
    monkeypatch.setattr(Path, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_whole(path, NEW)
    assert (names(tmp_path), path.read_bytes()) == (["a"], OLD)


def test_a_name_may_have_all_the_letters_of_a_name(tmp_path: Path) -> None:
    path = tmp_path / ("a" * 255)
    write_whole(path, NEW)
    assert path.read_bytes() == NEW


# --- links ---------------------------------------------------------------------------------------------------------


def test_a_link_stays_and_its_file_is_replaced_where_it_is(tmp_path: Path) -> None:
    there, here = tmp_path / "there", tmp_path / "here"
    there.mkdir()
    here.mkdir()
    (there / "file").write_bytes(OLD)
    (there / "second").symlink_to("file")
    (here / "first").symlink_to("../there/second")
    with (there / "file").open("rb") as reader:
        write_whole(here / "first", NEW)
        assert reader.read() == OLD
    assert (here / "first").readlink() == Path("../there/second")
    assert (there / "second").readlink() == Path("file")
    assert (there / "file").read_bytes() == NEW
    assert not (there / "file").is_symlink()
    assert (names(here), names(there)) == (["first"], ["file", "second"])


def test_a_link_to_nothing_makes_its_file(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    link = tmp_path / "link"
    link.symlink_to("folder/file")
    write_whole(link, NEW)
    assert link.readlink() == Path("folder/file")
    assert (tmp_path / "folder" / "file").read_bytes() == NEW


def test_links_that_lead_nowhere_are_refused(tmp_path: Path) -> None:
    loop, astray = tmp_path / "loop", tmp_path / "astray"
    loop.symlink_to("loop")
    astray.symlink_to("no folder/file")
    for path, said in ((loop, "Too many levels of symbolic links"), (astray, "No such file or directory")):
        error = refused(path)
        assert (error.filename, error.strerror) == (str(path), said)
        assert path.is_symlink()


# --- what is no file -----------------------------------------------------------------------------------------------


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    made = tmp_path / "pipe"
    os.mkfifo(made)
    return made


def received(pipe: Path, write: Callable[[], object]) -> bytes:
    """What comes out of a pipe while something is written."""
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()), daemon=True)
    reader.start()
    write()
    reader.join(60)
    return got[0]


@pytest.mark.parametrize("linked", [False, True])
def test_a_pipe_receives_the_content_and_stays(linked: bool, pipe: Path, tmp_path: Path) -> None:
    path = tmp_path / "link"
    path.symlink_to("pipe")
    assert received(pipe, lambda: write_whole(path if linked else pipe, NEW)) == NEW
    assert pipe.is_fifo()
    assert path.is_symlink()
    assert names(tmp_path) == ["link", "pipe"]


def test_all_that_is_written_goes_through_pipes(pipe: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Models and proofs, by the library and by the commands."""
    mrf = bc.load(TINY)
    proof = bc.certify(mrf).proof
    assert proof is not None
    assert received(pipe, lambda: bc.save(mrf, pipe, "native")) == bc.io.dumps(mrf)
    assert received(pipe, lambda: proof.save(pipe)) == proof.to_bytes()
    assert received(pipe, lambda: main(["convert", TINY, str(pipe)])) == bc.io.dumps(mrf)
    assert received(pipe, lambda: main(["solve", TINY, "--certificate", str(pipe)])) == proof.to_bytes()
    assert pipe.is_fifo()
    assert capsys.readouterr().err == ""


def test_a_pipe_that_nobody_reads_on_is_named(pipe: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write = os.open
    ended = threading.Event()

    def give_up() -> None:
        os.close(write(pipe, os.O_RDONLY))
        ended.set()

    def opened(path: Path, flags: int) -> int:
        descriptor = write(path, flags)
        assert ended.wait(60)
        return descriptor

    threading.Thread(target=give_up, daemon=True).start()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bender_core.files.os.open", opened)
        assert main(["convert", TINY, str(pipe)]) == 2
    assert capsys.readouterr().err == f"error: {pipe}: Broken pipe\n"


def test_folders_and_sockets_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "folder").mkdir()
    # The path of a socket is short.
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind("socket")
        assert refused(Path("folder")).strerror == "Is a directory"
        assert refused(Path("socket")).strerror == "this is a socket; give a file or a pipe"
    assert names(tmp_path) == ["folder", "socket"]


@pytest.mark.parametrize(
    ("place", "why"), [("folder", "Is a directory"), ("nowhere/x.npz", "No such file or directory")]
)
def test_nothing_is_solved_for_a_proof_that_cannot_be_saved(
    place: str, why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "folder").mkdir()
    monkeypatch.setattr(bc, "solve", None)
    assert main(["solve", TINY, "--certificate", str(tmp_path / place)]) == 2
    assert capsys.readouterr() == ("", f"error: {tmp_path / place}: {why}\n")


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="open files have no paths here")
def test_the_standard_output_has_a_path_like_any_file(tmp_path: Path) -> None:
    """Like /dev/stdout: written where the output stands, which stays what it is, before what is printed then."""
    shown, link = tmp_path / "shown", tmp_path / "link"
    link.symlink_to("/proc/self/fd/1")
    command = [sys.executable, "-m", "bender_core", "convert", TINY, str(link)]
    with shown.open("wb") as output:
        output.write(OLD)
        output.flush()
        subprocess.run(command, cwd=ROOT, stdout=output, check=True)
    before, said, after = shown.read_bytes().partition(f"wrote {link}: ".encode())
    assert before == OLD + bc.io.dumps(bc.load(TINY))
    assert said
    assert after.endswith(b"edges\n")
    assert names(tmp_path) == ["link", "shown"]
    assert link.is_symlink()
