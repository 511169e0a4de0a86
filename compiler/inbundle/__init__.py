"""inbundle: compiles ONNX models into standalone C bundles that run as interaction nets.

`compile` makes a bundle, `load` opens one; both return a `Bundle`, whose `run` takes and gives NumPy arrays.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"
__all__ = ["compile", "load"]

if TYPE_CHECKING:
    import onnx

    from inbundle.bundle.runner import Bundle


def compile(model: Path | str | onnx.ModelProto, emit_bundle: Path | str, **options: Any) -> Bundle:
    """Compiles a model into the bundle directory `emit_bundle`.

    Args:
        model: an ONNX file (binary or text) or a ModelProto.
        options: fields of `inbundle.options.CompileOptions`, named as the command's flags with underscores.

    Returns:
        The bundle. One for another machine can be looked at; its `run` raises.

    Raises:
        CompileError: whatever the command line would report, an option that does not exist; nothing is written then.
    """
    from inbundle.driver import compile_model
    from inbundle.frontend.source import model_source
    from inbundle.options import named_options

    directory = _directory(emit_bundle)
    network = compile_model(model_source(model), directory, named_options(options))
    return load(directory, network)


def load(directory: Path | str, network: str = "") -> Bundle:
    """Opens a bundle directory; its manifest is validated.

    Args:
        network: which one, where the directory holds several.

    Raises:
        CompileError: no bundle, or one that does not fit its manifest.
    """
    from inbundle.bundle.runner import Bundle

    return Bundle(_directory(directory), network)


def _directory(given: Path | str) -> Path:
    from inbundle.errors import CompileError

    if not isinstance(given, (str, Path)):
        raise CompileError(f"expected the path of a bundle's directory, not {given!r}")
    return Path(given)
