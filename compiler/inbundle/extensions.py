"""Extensions: Python files of users that add to the back end without a change of the compiler.

An extension enters its node kinds, instructions, lowerings and kernels into the compiler's tables while it is loaded,
with the functions that the compiler's own modules use, and defines `transform_post_lowering(graph)`, which puts its
nodes into the graph. That is Glow's hook of this name: it runs behind all graph passes, just before instructions are
made. docs/extending.md has a worked example.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from inbundle.errors import CompileError
from inbundle.graph.graph import Graph
from inbundle.passes.manager import GraphPass

HOOK = "transform_post_lowering"


@dataclass(frozen=True)
class Extension:
    """A loaded extension; `post_lowering` runs its hook, under the extension's name."""

    name: str
    post_lowering: GraphPass


_LOADED: dict[str, Extension] = {}


def load_extensions(sources: Sequence[str]) -> list[Extension]:
    """The extensions that `-extension` names: Python files, or modules that can be imported.

    Each is loaded once in a process, because the compiler's tables take each kind once.

    Raises:
        CompileError: there is no such file or module, it fails while it is loaded, or it has no hook.
    """
    return [_loaded(source) for source in sources]


def _loaded(source: str) -> Extension:
    key = str(Path(source).resolve()) if source.endswith(".py") else source
    if key not in _LOADED:
        _LOADED[key] = _extension(source)
    return _LOADED[key]


def _extension(source: str) -> Extension:
    where = (f"-extension={source}",)
    try:
        module = _module_of_file(Path(source)) if source.endswith(".py") else importlib.import_module(source)
    except FileNotFoundError:
        raise CompileError("there is no such file", where=where) from None
    except ModuleNotFoundError as error:
        hint = f"there is no module '{error.name}'; a file is given as PATH.py"
        raise CompileError("cannot be imported", where=where, hint=hint) from error
    except (Exception, SystemExit) as error:  # whatever the user's code raises
        raise CompileError(f"fails while it is loaded: {type(error).__name__}: {error}", where=where) from error
    hook = getattr(module, HOOK, None)
    if not callable(hook):
        raise CompileError(f"has no function {HOOK}", where=where, hint="it puts the extension's nodes into the graph")
    name = source.rpartition(".")[2] if not source.endswith(".py") else Path(source).stem

    def run(graph: Graph) -> None:
        try:
            hook(graph)
        except CompileError:
            raise
        except (Exception, SystemExit) as error:  # whatever the user's code raises
            raise CompileError(f"{HOOK} fails: {type(error).__name__}: {error}", where=where) from error

    return Extension(name, GraphPass(name, run))


def _module_of_file(path: Path) -> ModuleType:
    """The module of a file, called so that it hides no other."""
    name = f"inbundle_extension_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses of the module look for it there
    spec.loader.exec_module(module)
    return module
