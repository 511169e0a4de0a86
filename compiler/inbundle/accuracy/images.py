"""Images and labels of a test set, from a folder or from IDX files, as tensors a model takes.

This module knows nothing of bundles; it turns files into arrays.
"""

from __future__ import annotations

import gzip
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, UnidentifiedImageError

from inbundle.errors import CompileError

# Target range of a pixel value 0..255, by Glow's -image-mode names.
IMAGE_MODES = {
    "0to1": (0.0, 1.0),
    "neg1to1": (-1.0, 1.0),
    "0to255": (0.0, 255.0),
    "neg128to127": (-128.0, 127.0),
}

_IMAGE_SUFFIXES = (".png", ".pgm", ".ppm")


@dataclass(frozen=True)
class ImageSet:
    """Images in order: `names[i]` says where `pixels(i)` comes from."""

    names: list[str]
    _source: list[Path] | np.ndarray

    def __len__(self) -> int:
        return len(self.names)

    def first(self, count: int) -> ImageSet:
        """The first `count` images."""
        return ImageSet(self.names[:count], self._source[:count])

    def pixels(self, index: int) -> np.ndarray:
        """Image `index`: uint8, height x width or height x width x channels."""
        if isinstance(self._source, np.ndarray):
            pixels: np.ndarray = self._source[index]
            return pixels
        return _read_image(self._source[index])

    def __iter__(self) -> Iterator[tuple[str, np.ndarray]]:
        for index, name in enumerate(self.names):
            yield name, self.pixels(index)


def read_images(path: Path) -> ImageSet:
    """A folder of PNG, PGM or PPM files (sorted by name), or an IDX file of images (plain or gzip)."""
    if path.is_dir():
        files = sorted(file for file in path.iterdir() if file.suffix.lower() in _IMAGE_SUFFIXES)
        if not files:
            raise CompileError("no PNG, PGM or PPM images", where=(str(path),), hint="name a folder of images")
        return ImageSet([file.name for file in files], files)
    pixels = _read_idx(path)
    if pixels.ndim < 3:
        raise CompileError("an IDX file without images", where=(str(path),), hint="labels go to --labels")
    return ImageSet([f"{path.name}[{i}]" for i in range(len(pixels))], pixels)


def read_labels(path: Path) -> np.ndarray:
    """Labels as int64: an IDX file, or a text file whose lines end with a label (`7`, or `mnist_00.png 7`)."""
    data = _read_bytes(path)
    if data[:2] == b"\0\0":
        return _parse_idx(path, data).astype(np.int64).reshape(-1)
    labels: list[int] = []
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
        words = line.replace(",", " ").split()
        if not words:
            continue
        if not words[-1].isdecimal():
            raise CompileError(f"line {number}: '{words[-1]}' is not a label", where=(str(path),))
        labels.append(int(words[-1]))
    return np.array(labels, np.int64)


def to_tensor(pixels: np.ndarray, shape: tuple[int, ...], mode: str, where: str) -> np.ndarray:
    """An image as the model's input: float32 of `shape`, channels first, pixels in the range of `mode`.

    Raises:
        CompileError: the image has another number of values than the input; images are never resized.
    """
    if pixels.ndim == 3:
        pixels = pixels.transpose(2, 0, 1)
    if pixels.size != int(np.prod(shape)):
        raise CompileError(
            f"an image of {' x '.join(map(str, pixels.shape))} values for an input of shape {list(shape)}",
            where=(where,),
            hint="images are not resized; use images of the model's size",
        )
    low, high = IMAGE_MODES[mode]
    scaled: np.ndarray = pixels.astype(np.float32) * np.float32((high - low) / 255) + np.float32(low)
    return scaled.reshape(shape)


def _read_image(path: Path) -> np.ndarray:
    try:
        with Image.open(path) as image:
            if image.mode in ("RGBA", "P"):
                image = image.convert("RGB")
            elif image.mode not in ("L", "RGB"):
                image = image.convert("L")
            return np.asarray(image, np.uint8)
    except (OSError, UnidentifiedImageError) as error:
        raise CompileError("not a readable image", where=(str(path),), hint=str(error)) from None


def _read_bytes(path: Path) -> bytes:
    try:
        data = path.read_bytes()
        return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise CompileError(f"cannot be read: {reason}", where=(str(path),)) from None


def _read_idx(path: Path) -> np.ndarray:
    data = _read_bytes(path)
    if data[:2] != b"\0\0":
        raise CompileError("neither a folder nor an IDX file", where=(str(path),), hint="give a folder of PNG images")
    return _parse_idx(path, data)


def _parse_idx(path: Path, data: bytes) -> np.ndarray:
    """IDX: two zero bytes, the element type (8: unsigned byte), the rank, big-endian sizes, the elements."""
    if len(data) < 4 or data[2] != 8 or len(data) < 4 + 4 * data[3]:
        raise CompileError("not an IDX file of unsigned bytes", where=(str(path),))
    shape = struct.unpack_from(f">{data[3]}I", data, 4)
    start = 4 + 4 * data[3]
    if len(data) - start != int(np.prod(shape)):
        raise CompileError(f"the IDX file is cut off: {len(data) - start} bytes for sizes {shape}", where=(str(path),))
    return np.frombuffer(data, np.uint8, offset=start).reshape(shape)
