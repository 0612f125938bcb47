"""Progress in exercises: texts that are kept, reset, and files that cannot be used."""

from pathlib import Path

import pytest

from kernels.errors import InputError
from kernels.exercises.progress import Progress, read_progress, write_progress


def test_a_text_that_passed_outlives_later_edits_and_the_program(tmp_path: Path) -> None:
    path = tmp_path / "new" / "exercises.json"
    assert read_progress(path) == Progress()
    progress = Progress().judged("guard", "first", passed=False).judged("guard", "righт", passed=True)
    progress = progress.judged("guard", "broken again", passed=False, words="0 of 4")
    write_progress(progress, path)
    found = read_progress(path)
    assert found == progress
    assert found.has_passed("guard")
    assert (found.attempts["guard"].text, found.attempts["guard"].answer) == ("broken again", "righт")
    assert found.attempts["guard"].words == "0 of 4"
    assert found.without("guard") == Progress()


@pytest.mark.parametrize(
    "content", [b"", b"\xff\xfe", b"[]", b'{"format": 1}', b'{"format": 1, "exercises": {"a": 1}}']
)
def test_a_damaged_file_is_one_clear_line_and_stays(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "exercises.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match="rename it to begin again"):
        read_progress(path)
    assert path.read_bytes() == content
