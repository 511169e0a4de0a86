"""`bundle-accuracy`: top-k and accuracy of a model or a bundle over labelled images (scripts/exec_accuracy.sh)."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import inbundle
from inbundle.accuracy.images import IMAGE_MODES, read_images, read_labels, to_tensor
from inbundle.accuracy.report import Classifier, evaluate
from inbundle.bundle.runner import Bundle
from inbundle.cli.command_line import CommandLine, Kind, Option, ParsedCommandLine
from inbundle.cli.program import run_command
from inbundle.errors import CompileError
from inbundle.options import CHOICES

PER_IMAGE_UP_TO = 200

OPTIONS = (
    Option("example", Kind.STRING, "Use the model, images and labels of examples/<name>", "", "name", aliases=("m",)),
    Option("examples-dir", Kind.STRING, "Where the examples are", "examples", "directory", hidden=True),
    Option("model", Kind.STRING, "ONNX model to compile and measure", "", "file"),
    Option("bundle", Kind.STRING, "Bundle to measure instead of compiling a model", "", "directory"),
    Option("network-name", Kind.STRING, "Which network, where a directory holds several bundles", ""),
    Option("images", Kind.STRING, "Folder of PNG/PGM images, or IDX file (.gz too)", "", "directory|file"),
    Option("labels", Kind.STRING, "Labels: IDX file, or text with a label a line", "", "file"),
    Option("image-mode", Kind.ENUM, "Range that pixels are scaled to", "0to1", choices=tuple(IMAGE_MODES)),
    Option("granularity", Kind.ENUM, "Granularity to compile with", "tile", choices=CHOICES["granularity"]),
    Option("onnx-define-symbol", Kind.LIST, "As in model-compiler", value="name,value"),
    Option("output-name", Kind.STRING, "Which of several outputs holds the scores", ""),
    Option("topk", Kind.UINT, "Classes to print per image", 5),
    Option("limit", Kind.UINT, "Measure the first N images only (0: all)", 0),
    Option("per-image", Kind.BOOL, f"Print every image (default: up to {PER_IMAGE_UP_TO} images)"),
)

LINE = CommandLine("bundle-accuracy", "Measures a classifier's accuracy over labelled images", OPTIONS)


def main(words: Sequence[str] | None = None) -> int:
    """Entry point. Returns the exit status."""
    return run_command(LINE.command, _run, words)


def _run(words: Sequence[str]) -> None:
    parsed = LINE.parse(words)
    if not parsed["topk"]:
        raise CompileError("-topk=0: expected a number of classes above 0")
    model, images_path, labels_path = _sources(parsed)
    images, labels = read_images(images_path), read_labels(labels_path)
    if len(labels) != len(images):
        raise CompileError(
            f"{len(labels)} labels for {len(images)} images", where=(str(labels_path),), hint="one label per image"
        )
    if parsed["limit"]:
        images, labels = images.first(parsed["limit"]), labels[: parsed["limit"]]
    per_image = parsed["per-image"] if "per-image" in parsed.given else len(images) <= PER_IMAGE_UP_TO
    with tempfile.TemporaryDirectory() as scratch:
        if parsed["bundle"]:
            bundle = inbundle.load(parsed["bundle"], parsed["network-name"])
        else:
            bundle = inbundle.compile(
                model,
                Path(scratch) / "bundle",
                granularity=parsed["granularity"],
                onnx_define_symbol=parsed["onnx-define-symbol"],
            )
        classify = _classifier(bundle, parsed)
        evaluate(images, labels, classify, per_image=per_image, out=sys.stdout, topk=parsed["topk"])


def _sources(parsed: ParsedCommandLine) -> tuple[Path, Path, Path]:
    """Model, images and labels: the example's, unless named."""
    model, images, labels = parsed["model"], parsed["images"], parsed["labels"]
    if parsed["example"]:
        folder = Path(parsed["examples-dir"]) / parsed["example"]
        if not folder.is_dir():
            raise CompileError(f"no example '{parsed['example']}'", where=(str(folder),), hint="try -m mnist")
        model = model or folder / f"{parsed['example']}.onnx"
        images = images or folder / "images"
        labels = labels or folder / "ground_truth.txt"
    if parsed["model"] and parsed["bundle"]:
        raise CompileError("both --model and --bundle", hint="give the one that is to be measured")
    if not (model or parsed["bundle"]):
        raise CompileError("no model", hint="give -m mnist, --model FILE or --bundle DIR")
    if not (images and labels):
        raise CompileError("no images or labels", hint="give --images DIR|IDX and --labels FILE")
    return Path(model or ""), Path(images), Path(labels)


def _classifier(bundle: Bundle, parsed: ParsedCommandLine) -> Classifier:
    """Scores of one image by the bundle's one image input."""
    if len(bundle.inputs) != 1:
        names = ", ".join(tensor.name for tensor in bundle.inputs)
        raise CompileError(f"the model has {len(bundle.inputs)} inputs ({names})", hint="accuracy needs exactly one")
    source = bundle.inputs[0]
    output = parsed["output-name"] or bundle.outputs[0].name
    if output not in [tensor.name for tensor in bundle.outputs]:
        names = ", ".join(tensor.name for tensor in bundle.outputs)
        raise CompileError(f"no output '{output}'", hint=f"outputs: {names}")

    def classify(pixels: np.ndarray, name: str) -> np.ndarray:
        tensor = to_tensor(pixels, source.shape, parsed["image-mode"], name)
        return bundle.run({source.name: tensor})[output].reshape(-1)

    return classify


if __name__ == "__main__":
    sys.exit(main())
