"""Files of the OR-Library with several problems: one is chosen, by number."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from bender_core.__main__ import main
from bender_core.io import FormatError, load
from tests.unit.io.test_io_fuzz import outcome

PROBLEMS = [(2, [(1, 1, -4), (1, 2, 3)]), (3, [(1, 1, 2), (2, 3, -1.5), (3, 3, 0.5), (1, 3, 7)]), (1, [(1, 1, 9)])]


def text_of(problems: list[tuple[int, list[tuple[int, int, float]]]]) -> str:
    parts = [f" {n}\t{len(rows)}\n" + "".join(f"{i} {j} {q}\n" for i, j, q in rows) + "\n" for n, rows in problems]
    return f" {len(problems)}\n" + "".join(parts)


TEXT = text_of(PROBLEMS)


@pytest.mark.parametrize("which", [1, 2, 3])
def test_each_problem_is_maximised(which: int) -> None:
    n, rows = PROBLEMS[which - 1]
    mrf = load(TEXT.encode(), name="bqp50.txt", format=f"orlib:{which}")
    assert (mrf.n, mrf.name, mrf.objective.sense, mrf.notes) == (n, f"bqp50-{which}", "max", ())
    assert mrf.source == "OR-Library bqp file bqp50.txt"
    for x in itertools.product((0, 1), repeat=n):
        value = sum((1 if i == j else 2) * q * x[i - 1] * x[j - 1] for i, j, q in rows)
        assert mrf.objective.value(mrf.energy(x)) == value


def test_comments_belong_to_no_problem() -> None:
    text = TEXT.replace(" 3\t4", "# offset=5 scale=-1\n 3\t4")
    for which in (1, 2):
        plain, found = (load(each.encode(), format=f"orlib:{which}") for each in (TEXT, text))
        assert found.content_hash() == plain.content_hash()
        assert len(found.notes) == 1
        assert "offset=5" in found.notes[0]


def test_a_file_of_one_problem_needs_no_choice() -> None:
    mrf = load(text_of(PROBLEMS[1:2]).encode(), name="gka.txt")
    assert (mrf.n, mrf.name, mrf.objective.sense) == (3, "gka", "max")
    assert load(text_of(PROBLEMS[1:2]).encode(), format="orlib:1", maximize=True).content_hash() == mrf.content_hash()


@pytest.mark.parametrize(
    ("text", "format", "said"),
    [
        (TEXT, None, "the file has 3 problems; choose one, as the format orlib:1 to orlib:3"),
        (TEXT, "orlib", "the file has 3 problems; choose one, as the format orlib:1 to orlib:3"),
        (TEXT, "orlib:4", "the file has 3 problems, and no problem 4; choose one, as the format orlib:1 to orlib:3"),
        (TEXT, "orlib:0", "'0' is no number of a model; write a number from 1, like \"orlib:3\""),
        (TEXT, "orlib:-1", "'-1' is no number of a model"),
        (TEXT, "orlib:", "'' is no number of a model"),
        (TEXT, f"orlib:{'9' * 5000}", "'999999999999999999999...' is no number of a model"),
        (TEXT, "sparse:2", "files of the format 'sparse' have one model; write 'sparse' alone"),
        (TEXT, "or:2", "there is no format 'or'; choose one of"),
        (TEXT.replace("2 3 -1.5", "2 4 -1.5"), "orlib:2", "line 8: a row names variable 4; variables run from 1 to 3"),
        (TEXT.replace("2 3 -1.5", "2 3"), "orlib:2", "line 8: a row has 2 words"),
        (TEXT.replace("2 3 -1.5", "2 3 nan"), "orlib:2", "line 8: a row has 'nan'; coefficients are finite"),
        (TEXT.replace("3\t4", "3\t5"), "orlib:1", "line 13: problem 3 of 3 does not begin with its numbers of"),
        (TEXT.replace("3\t4", "3\t999999999"), "orlib:1", "line 6: problem 2 promises 999999999 coefficients but 6"),
        (TEXT.replace("3\t4", f"3\t{'9' * 500}"), "orlib:1", "line 6: problem 2 of 3 does not begin with its"),
        (TEXT.replace("3\t4", "-3\t4"), "orlib:1", "line 6: problem 2 of 3 does not begin with its numbers of"),
        (TEXT.replace("3\t4", "0\t4"), "orlib:2", "line 6: the file has no variables"),
        (TEXT.replace("3\t4", "900000000\t4"), "orlib:2", "line 6: the file promises 9e+08 variables in"),
        (TEXT.replace(" 3\n", " 4\n", 1), "orlib:1", "line 13: problem 4 of 4 does not begin with its numbers of"),
        (TEXT.replace(" 3\n", " 2\n", 1), "orlib:1", "line 12: 2 more lines follow the last of 2 problems"),
        (TEXT.replace(" 3\n", " 0\n", 1), "orlib:1", "line 1: the first line is not the number of problems"),
        (TEXT.replace(" 3\n", " 3 3\n", 1), "orlib:1", "line 1: the first line is not the number of problems"),
        ("", "orlib", "the file is empty"),
        ("# nothing", "orlib", "line 1: the first line is not the number of problems"),
    ],
)
def test_what_is_not_chosen_or_wrong_is_refused(text: str, format: str | None, said: str) -> None:
    with pytest.raises(FormatError) as caught:
        load(text.encode(), format=format)
    assert str(caught.value).startswith(said)
    assert len(str(caught.value)) < 400


def test_any_truncation_gives_a_model_or_a_sentence() -> None:
    one = text_of(PROBLEMS[1:2]).encode()
    for end in range(len(one)):
        outcome(one[:end])


def test_the_command_line_chooses_by_the_format(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bqp.txt"
    path.write_text(TEXT, encoding="utf-8")
    assert main(["info", str(path)]) == 2
    assert "the file has 3 problems; choose one, as the format orlib:1 to orlib:3" in capsys.readouterr().err
    assert main(["info", str(path), "--format", "orlib:2"]) == 0
    assert "bqp-2" in capsys.readouterr().out
