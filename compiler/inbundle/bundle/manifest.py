"""The manifest NAME.yaml: every fact of a bundle, for programs other than the C compiler.

It is the same for the same model, options and tool version: no times, no absolute paths.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from inbundle import __version__
from inbundle.bundle.error_codes import ERRORS
from inbundle.bundle.layout import Layout, Tensor
from inbundle.bundle.net_facts import initial_pairs
from inbundle.bundle.parts import BundleParts
from inbundle.ir.memory import ALIGNMENT
from inbundle.nets.program import Program, Rule
from inbundle.options import CompileOptions

FORMAT = 1
Fact = dict[str, Any]

# What is shown or checked on the way has no effect on the bundle.
_NOT_RECORDED = ("dump_", "print_", "verify_")


def manifest(parts: BundleParts, layout: Layout, files: Mapping[str, bytes]) -> str:
    """The text of the manifest.

    Args:
        files: the other files of the bundle that are not to be changed, by name relative to the bundle.
    """
    facts: Fact = {
        "format": FORMAT,
        "tool": {"name": "inbundle", "version": __version__},
        "network": parts.network,
        "entry": parts.entry,
        "source": {"sha256": parts.source_sha256},
        "options": _options(parts.options),
        "target": _target(parts),
        "regions": _regions(parts.network, layout),
        "tensors": _tensors(parts.network.upper(), layout),
        "net": _net(parts, layout),
        "errors": [dataclasses.asdict(error) for error in ERRORS],
        "kernels": [dataclasses.asdict(kernel) for kernel in parts.kernels],
        "files": {name: _file(data) for name, data in files.items()},
    }
    head = f"# Manifest of the bundle {parts.network}. Sizes and offsets are in bytes.\n"
    return head + yaml.dump(facts, Dumper=_Dumper, sort_keys=False, width=120, allow_unicode=True)


class _Dumper(yaml.SafeDumper):
    """Without anchors: a value that occurs twice is written twice."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _options(options: CompileOptions) -> Fact:
    names = (field.name for field in dataclasses.fields(options) if not field.name.startswith(_NOT_RECORDED))
    values = {name: getattr(options, name) for name in names}
    values["compiler"] = Path(options.compiler).name
    values["extension"] = [Path(source).name for source in options.extension]
    return {name: _plain(value) for name, value in values.items()}


def _plain(value: Any) -> Any:
    """An option's value as YAML has it; of a path the name."""
    if isinstance(value, Path):
        return value.name
    return list(value) if isinstance(value, tuple) else value


def _target(parts: BundleParts) -> Fact:
    toolchain = parts.toolchain
    return {
        "name": toolchain.target,
        "triple": toolchain.triple,
        "word_bytes": toolchain.word_bytes,
        "byte_order": toolchain.byte_order,
        "compiler": Path(toolchain.command[0]).name,
        "cflags": list(toolchain.cflags),
    }


def _regions(network: str, layout: Layout) -> Fact:
    return {
        "constantWeight": {
            "size": layout.constant_bytes,
            "alignment": ALIGNMENT,
            "file": f"{network}.weights.bin",
        },
        "mutableWeight": {"size": layout.mutable_bytes, "alignment": ALIGNMENT},
        "activations": {"size": layout.activation_bytes, "alignment": ALIGNMENT},
    }


def _tensors(up: str, layout: Layout) -> list[Fact]:
    placeholders = [(tensor, "input") for tensor in layout.inputs] + [(tensor, "output") for tensor in layout.outputs]
    facts = [_tensor(tensor, kind, "mutableWeight", f"{up}_{tensor.c_name}") for tensor, kind in placeholders]
    return facts + [_tensor(tensor, "constant", "constantWeight") for tensor in layout.constants]


def _tensor(tensor: Tensor, kind: str, region: str, macro: str = "") -> Fact:
    return {
        "name": tensor.name,
        "kind": kind,
        "c_name": tensor.c_name,
        **({"macro": macro} if macro else {}),
        "region": region,
        "offset": tensor.offset,
        "size": tensor.type.bytes,
        "type": tensor.type.elem.glow_name,
        "shape": list(tensor.type.shape),
    }


def _net(parts: BundleParts, layout: Layout) -> Fact:
    program, limits = parts.program, parts.limits
    return {
        "script": f"{parts.network}.in",
        "dialect": program.dialect,
        "agents": [{"name": a.name, "ports": "".join(port.value for port in a.ports)} for a in program.agents],
        "rules": [_rule(rule) for rule in program.rules],
        "natives": _natives(program),
        "statements": len(program.net.starts) - 1,
        "initial_pairs": initial_pairs(program),
        "interactions": program.net.interactions,
        "image": {"region": "constantWeight", "offset": layout.image_offset, "size": layout.image_bytes},
        "engine": {
            "region": "activations",
            "offset": layout.engine_offset,
            "size": layout.engine_bytes,
            "heap_bytes": limits.heap_bytes,
            "pairs": limits.pairs,
            "slots": limits.slots,
            "workers": limits.workers,
        },
    }


def _rule(rule: Rule) -> str:
    return f"{rule.left.agent} >< {rule.right.agent}"


def _natives(program: Program) -> list[Fact]:
    return [
        {"name": n.name, "parameters": "".join(p.value for p in n.parameters), "result": n.result.value}
        for n in program.natives
    ]


def _file(data: bytes) -> Fact:
    return {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()}
