"""A file or folder is replaced whole or stays what it was."""

from pathlib import Path

import pytest

from autograder import files


def test_a_file_is_written_whole(tmp_path: Path) -> None:
    path = tmp_path / "deep" / ("n" * 255)  # the longest name that a file may have
    files.write_whole(path, "ä")
    files.write_whole(path, b"second")
    assert path.read_bytes() == b"second"
    assert list(path.parent.iterdir()) == [path]


def test_what_cannot_be_written_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a"
    files.write_whole(path, "old")
    with pytest.raises(UnicodeEncodeError):
        files.write_whole(path, "\ud800")
    (tmp_path / "folder").mkdir()
    with pytest.raises(IsADirectoryError):
        files.write_whole(tmp_path / "folder", "text")
    assert path.read_text() == "old"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a", "folder"]


@pytest.mark.parametrize("before", ["nothing", "file", "folder", "link"])
def test_a_folder_takes_the_place_of_anything(tmp_path: Path, before: str) -> None:
    target, outside = tmp_path / "target", tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").touch()
    if before == "file":
        target.write_text("x")
    elif before == "folder":
        (target / "data").mkdir(parents=True)
    elif before == "link":
        target.symlink_to(outside)
    new = files.aside(target)
    new.mkdir()
    (new / "data").write_text("new")
    files.swap(new, target)
    assert [p.name for p in target.iterdir()] == ["data"]
    assert (outside / "kept").exists()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["outside", "target"]


def test_a_folder_that_cannot_be_put_there_leaves_the_old_one(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.mkdir()
    (target / "kept").touch()
    with pytest.raises(FileNotFoundError):
        files.swap(tmp_path / "never made", target)
    assert [p.name for p in target.iterdir()] == ["kept"]
    assert [p.name for p in tmp_path.iterdir()] == ["target"]
