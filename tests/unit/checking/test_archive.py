"""Files of proofs whose bytes are damaged, of another kind, or made to do harm: one sentence, and little memory."""

from __future__ import annotations

import contextlib
import io
import itertools
import os
import random
import struct
import threading
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import bender_core as bc
from bender_core.__main__ import main
from bender_core.checking.command import main as check
from bender_core.checking.proof import Proof, load_proof
from bender_core.resources import SAMPLES

TINY = str(SAMPLES / "tiny.mrf.json")
MODEL = bc.load(TINY)
DAMAGED = "the file is no proof, or damaged; give a file that a proof was saved to"
# Where an entry of the directory of an archive keeps the size of its member, unpacked.
SIZE_AT = 24


@pytest.fixture(scope="module")
def proof() -> Proof:
    found = bc.certify(MODEL, method="groups").proof
    assert found is not None
    return found


def outcome(path: Path, content: bytes, whole: bytes) -> str:
    """What reading some bytes comes to; it may raise nothing but a FormatError."""
    path.write_bytes(content)
    try:
        found = load_proof(path)
    except bc.FormatError as error:
        return "refused" if str(error) == DAMAGED else str(error)
    return "read" if found.to_bytes() == whole else "falsified"


def flipped(content: bytes, bit: int) -> bytes:
    changed = bytearray(content)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


@pytest.mark.slow
def test_a_bit_of_the_directory_damages_the_file_or_nothing(proof: Proof, tmp_path: Path) -> None:
    """Every one of its last entry and its end: sizes, places, flags, versions, ways of packing, names."""
    whole = proof.to_bytes()
    bits = range(8 * whole.rindex(b"PK\x01\x02"), 8 * len(whole))
    assert {outcome(tmp_path / "a.proof", flipped(whole, bit), whole) for bit in bits} == {"refused", "read"}


def test_no_bytes_read_as_another_proof(proof: Proof, tmp_path: Path) -> None:
    whole, rng = proof.to_bytes(), random.Random(3)

    def scrambled() -> bytes:
        content = bytearray(whole)
        for _ in range(rng.randint(1, 8)):
            content[rng.randrange(len(whole))] = rng.randrange(256)
        return bytes(content)

    cases = [
        *(flipped(whole, rng.randrange(8 * len(whole))) for _ in range(300)),
        *(scrambled() for _ in range(300)),
        *(whole[: rng.randrange(len(whole))] for _ in range(100)),
        *(rng.randbytes(rng.randrange(400)) for _ in range(100)),
        *(b"PK" + rng.randbytes(rng.randrange(400)) for _ in range(100)),
    ]
    assert {outcome(tmp_path / "a.proof", content, whole) for content in cases} == {"refused", "read"}


def as_npy(array: object) -> bytes:
    written = io.BytesIO()
    np.save(written, np.asarray(array))
    return written.getvalue()


def packed(members: dict[str, bytes], way: int = zipfile.ZIP_DEFLATED) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", way) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return written.getvalue()


def members_of(proof: Proof) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(proof.to_bytes())) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def promising(shape: str, descr: str = "'<f8'", rest: bytes = bytes(8)) -> bytes:
    """An array whose header says something else than follows."""
    header = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + rest


OTHERS: dict[str, Callable[[Proof], bytes]] = {
    "an array": lambda _: as_npy([1.0, 2.0]),
    "a single number": lambda _: as_npy(1),
    "an empty archive": lambda _: packed({}),
    "an archive of a text": lambda _: packed({"format.npy": b"bender-lab-proof"}),
    "a pickle": lambda _: b"\x80\x04K\x01.",
    "packed by LZMA": lambda proof: packed(members_of(proof), zipfile.ZIP_LZMA),
    "packed by bzip2": lambda proof: packed(members_of(proof), zipfile.ZIP_BZIP2),
}


@pytest.mark.parametrize("kind", OTHERS)
def test_other_kinds_of_files_are_refused(kind: str, proof: Proof, tmp_path: Path) -> None:
    assert outcome(tmp_path / "a.proof", OTHERS[kind](proof), b"") == "refused"


ARRAYS: dict[str, tuple[str, bytes]] = {
    "objects": ("1.messages", promising("(1,)", "'|O'")),
    "a record": ("1.messages", promising("(1,)", "[('a', '<f8')]")),
    "texts": ("1.messages", as_npy(["a", "b"])),
    "complex": ("1.messages", as_npy([1j])),
    "dates": ("labeling", as_npy(np.zeros(3, "datetime64[s]"))),
    "truths": ("labeling", as_npy([True, False, True])),
    "unsigned": ("labeling", as_npy(np.zeros(3, np.uint64))),
    "halves": ("labeling", as_npy([0.5, 0.5, 0.5])),
    "a table for a row": ("labeling", as_npy([[0, 1, 1]])),
    "a row for a table": ("1.edges", as_npy([0, 1])),
    "too wide a table": ("1.tied", as_npy([[0, 1]])),
    "two bounds": ("bounds", as_npy([1.0, 2.0])),
    "bounds in words": ("bounds", as_npy(["a", "b", "c"])),
    "steps, negative": ("steps", as_npy(-1)),
    "steps, a fraction": ("steps", as_npy(1.5)),
    "steps, a list": ("steps", as_npy([1])),
    "more steps than there are": ("steps", as_npy(10**18)),
    "a negative size": ("1.sizes", as_npy([-1, 4])),
    "sizes whose sum overflows": ("1.sizes", as_npy([2**62, 2**62, 2**62, 2**62, 3])),
    "no characters": ("model", promising("()", "'<U1'", b"\xff\xff\xff\xff")),
    "a list of models": ("model", as_npy(["a"])),
    "a huge shape": ("1.messages", promising("(1000000000000000,)")),
    "a shape that overflows": ("1.messages", promising("(4294967296, 4294967296, 2)")),
    "a shape of no array": ("1.messages", promising("(0, 99999999999999999999999)", rest=b"")),
    "a negative shape": ("1.messages", promising("(-1,)")),
    "more than its shape": ("1.messages", promising("(1,)", rest=bytes(16))),
    "a header of a program": ("1.messages", promising("(__import__('os').getpid(),)")),
    "deep brackets": ("1.messages", promising("(" * 5000 + ")" * 5000)),
    "no header": ("1.messages", b"\x93NUMPY\x01\x00\xff\xff"),
    "a later version": ("1.messages", b"\x93NUMPY\x03\x00" + bytes(20)),
}


@pytest.mark.parametrize("kind", ARRAYS)
def test_arrays_of_other_kinds_and_shapes_are_refused(
    kind: str, proof: Proof, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name, content = ARRAYS[kind]
    path = tmp_path / "a.proof"
    assert outcome(path, packed(members_of(proof) | {f"{name}.npy": content}), b"") == "refused"
    for command in (lambda: main(["verify", TINY, str(path)]), lambda: check([TINY, str(path)])):
        assert command() == 2
        assert capsys.readouterr() == ("", f"error: {DAMAGED}\n")


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("format", as_npy("a plan"), "the file is of another kind; give a file that a proof was saved to"),
        ("version", as_npy(4), "the proof has version 4, this program reads up to 3; make the proof anew, or "),
    ],
)
def test_other_formats_are_named(name: str, content: bytes, said: str, proof: Proof, tmp_path: Path) -> None:
    path = tmp_path / "a.proof"
    path.write_bytes(packed(members_of(proof) | {f"{name}.npy": content}))
    with pytest.raises(bc.FormatError) as caught:
        load_proof(path)
    assert str(caught.value).startswith(said)


def test_what_another_program_has_written_is_read(proof: Proof, tmp_path: Path) -> None:
    """Columns first, another order of bytes, not packed."""
    members = members_of(proof)
    for name in ("1.edges", "1.fixed"):
        array = np.load(io.BytesIO(members[f"{name}.npy"]))
        members[f"{name}.npy"] = as_npy(np.asfortranarray(array.astype(">i4")))
    assert outcome(tmp_path / "a.proof", packed(members, zipfile.ZIP_STORED), proof.to_bytes()) == "read"


def lying(content: bytes) -> bytes:
    """The archive with a directory that promises ten bytes of each member."""
    changed, place = bytearray(content), content.find(b"PK\x01\x02")
    while place >= 0:
        changed[place + SIZE_AT : place + SIZE_AT + 4] = struct.pack("<I", 10)
        place = content.find(b"PK\x01\x02", place + 1)
    return bytes(changed)


@pytest.mark.parametrize("lies", [False, True], ids=["honest", "lying"])
def test_a_small_file_of_much_data_takes_little_memory(
    lies: bool, proof: Proof, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BENDER_MEMORY_MB", "4")
    bomb = packed(members_of(proof) | {"format.npy": bytes(64 << 20)})
    path = tmp_path / "a.proof"
    path.write_bytes(lying(bomb) if lies else bomb)
    assert path.stat().st_size < 1 << 20
    tracemalloc.start()
    with pytest.raises(bc.FormatError) as caught:
        load_proof(path)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 4 << 20
    said = "the file takes more than 4 MB of memory; raise BENDER_MEMORY_MB if you trust it"
    assert str(caught.value) == (DAMAGED if lies else said)


def test_an_endless_file_is_not_read_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BENDER_MEMORY_MB", "2")
    pipe, ended = tmp_path / "endless", threading.Event()
    os.mkfifo(pipe)

    def feed() -> None:
        with contextlib.suppress(BrokenPipeError), pipe.open("wb") as stream:
            stream.writelines(bytes(1 << 16) for _ in itertools.count())
        ended.set()

    threading.Thread(target=feed, daemon=True).start()
    with pytest.raises(bc.FormatError, match="the file takes more than 2 MB of memory"):
        load_proof(pipe)
    assert ended.wait(60)


def test_a_proof_may_come_through_a_pipe(proof: Proof, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    threading.Thread(target=pipe.write_bytes, args=(proof.to_bytes(),), daemon=True).start()
    assert load_proof(pipe).to_bytes() == proof.to_bytes()
