import pytest

from pie.files import whole


def test_a_file_is_replaced_whole(tmp_path):
    path = tmp_path / "index.html"
    path.write_text("former")
    with path.open() as reader:
        with whole(path) as made:
            made.write_text("new")
            assert path.read_text() == "former"
        assert reader.read() == "former"
    assert path.read_text() == "new" and [*tmp_path.iterdir()] == [path]


def test_nothing_is_left_of_a_file_that_was_cut(tmp_path):
    path = tmp_path / "rows.csv"
    with pytest.raises(OSError, match="disk is full"), whole(path) as made:
        made.write_text("half")
        raise OSError("disk is full")
    assert not [*tmp_path.iterdir()]
