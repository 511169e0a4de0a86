"""Reading images and labels: folders, IDX, text; scaling; errors that name the file."""

from __future__ import annotations

import gzip
import struct
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from inbundle.accuracy.images import read_images, read_labels, to_tensor
from inbundle.errors import CompileError


def idx(array: np.ndarray) -> bytes:
    return bytes([0, 0, 8, array.ndim]) + struct.pack(f">{array.ndim}I", *array.shape) + array.tobytes()


def test_folder_is_read_in_order_of_names(tmp_path: Path) -> None:
    for name, value in (("b.png", 2), ("a.png", 1), ("notes.txt", 0)):
        if name.endswith("png"):
            Image.fromarray(np.full((2, 3), value, np.uint8)).save(tmp_path / name)
        else:
            (tmp_path / name).write_text("no image")
    images = read_images(tmp_path)
    assert images.names == ["a.png", "b.png"]
    assert [int(pixels[0, 0]) for _, pixels in images] == [1, 2]


@pytest.mark.parametrize("pack", [lambda data: data, gzip.compress])
def test_idx_images_and_labels(tmp_path: Path, pack) -> None:
    pixels = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)
    (tmp_path / "images").write_bytes(pack(idx(pixels)))
    (tmp_path / "labels").write_bytes(pack(idx(np.array([7, 2], np.uint8))))
    assert np.array_equal(read_images(tmp_path / "images").pixels(1), pixels[1])
    assert read_labels(tmp_path / "labels").tolist() == [7, 2]


def test_text_labels_with_and_without_file_names(tmp_path: Path) -> None:
    (tmp_path / "labels.txt").write_text("a.png 3\nb.png,4\n\n5\n")
    assert read_labels(tmp_path / "labels.txt").tolist() == [3, 4, 5]


@pytest.mark.parametrize(("mode", "want"), [("0to1", 1.0), ("neg1to1", 1.0), ("0to255", 255.0), ("neg128to127", 127.0)])
def test_white_is_the_upper_end_of_the_range(mode: str, want: float) -> None:
    assert to_tensor(np.full((2, 2), 255, np.uint8), (1, 1, 2, 2), mode, "x").ravel().tolist() == [want] * 4


def test_colour_becomes_channels_first() -> None:
    pixels = np.arange(12, dtype=np.uint8).reshape(2, 2, 3)
    assert np.array_equal(to_tensor(pixels, (1, 3, 2, 2), "0to255", "x")[0, 1], pixels[:, :, 1])


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("short", idx(np.zeros((2, 2, 2), np.uint8))[:-1], "cut off"),
        ("text", b"hello", "neither a folder nor an IDX file"),
        ("labels", idx(np.zeros(3, np.uint8)), "without images"),
        ("zip", b"\x1f\x8b broken", "cannot be read"),
    ],
)
def test_broken_image_files(tmp_path: Path, name: str, data: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(CompileError, match=message):
        read_images(tmp_path / name)


def test_other_errors_name_the_place(tmp_path: Path) -> None:
    (tmp_path / "bad.png").write_bytes(b"no png")
    with pytest.raises(CompileError, match=r"bad\.png"):
        read_images(tmp_path).pixels(0)
    (tmp_path / "labels").write_text("1\nx\n")
    with pytest.raises(CompileError, match="line 2: 'x' is not a label"):
        read_labels(tmp_path / "labels")
    with pytest.raises(CompileError, match="4 x 4 values"):
        to_tensor(np.zeros((4, 4), np.uint8), (1, 1, 28, 28), "0to1", "x")
    with pytest.raises(CompileError, match="cannot be read"):
        read_labels(tmp_path / "none")
