"""Whether the facts of a manifest make sense by themselves: places, names, options and files fit each other.

The form has been checked before. What the bundle's C says is compared in `manifest_agreement.py`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from inbundle.bundle import target_data
from inbundle.bundle.names import UniqueNames, legalize
from inbundle.errors import CompileError
from inbundle.graph.types import ElemKind
from inbundle.ir.memory import ALIGNMENT, align
from inbundle.nets.memory import memory_bytes
from inbundle.options import CompileOptions

Fact = dict[str, Any]
Problem = tuple[str, str]  # the field, and what is wrong with it
_BYTES = {kind.glow_name: kind.size for kind in ElemKind}
_KINDS = ("input", "output", "constant")


def problems(facts: Fact) -> Iterator[Problem]:
    """What is wrong, most basic things first."""
    yield from _options(facts)
    yield from _target(facts)
    yield from _places(facts)
    yield from _regions(facts)
    for tensor in facts["tensors"]:
        yield from _tensor(tensor, facts["network"])
    yield from _tensor_names(facts["tensors"])
    yield from _overlaps(facts["tensors"])
    yield from _engine(facts)
    yield from _net(facts)
    yield from _kernels(facts)
    yield from _files(facts)


# --- regions and tensors -----------------------------------------------------------------------------------------


def _places(facts: Fact) -> Iterator[Problem]:
    """Everything that has an offset is aligned and lies within its region."""
    net = facts["net"]
    parts = [(f"tensors.{tensor['name']}", tensor) for tensor in facts["tensors"]]
    for field, part in [*parts, ("net.image", net["image"]), ("net.engine", net["engine"])]:
        end, region = part["offset"] + part["size"], part["region"]
        if end > facts["regions"][region]["size"]:
            yield field, f"ends at {end}, {region} at {facts['regions'][region]['size']}"
        if part["offset"] % ALIGNMENT:
            yield field, f"offset {part['offset']} is not a multiple of {ALIGNMENT}"


def _regions(facts: Fact) -> Iterator[Problem]:
    for name, region in facts["regions"].items():
        if region["size"] % region["alignment"]:
            yield f"regions.{name}", "size is not a multiple of the alignment"
    weights, image = facts["regions"]["constantWeight"], facts["net"]["image"]
    listed = facts["files"].get(weights["file"])
    if weights["file"] != f"{facts['network']}.weights.bin" or not listed or listed["size"] != weights["size"]:
        yield "regions.constantWeight", "no weights file of the region's size"
    if align(image["offset"] + image["size"]) != weights["size"]:
        yield "net.image", "does not end the constant weights"
    constants = [t["offset"] + t["size"] for t in facts["tensors"] if t["region"] == "constantWeight"]
    if max(constants, default=0) > image["offset"]:
        yield "net.image", f"starts at {image['offset']}, constants end at {max(constants)}"


def _tensor(tensor: Fact, network: str) -> Iterator[Problem]:
    field = f"tensors.{tensor['name']}"
    size = math.prod(tensor["shape"]) * _BYTES[tensor["type"]]
    if tensor["size"] != size:
        yield field, f"size {tensor['size']}, but type and shape make {size} bytes"
    if (tensor["kind"] == "constant") != (tensor["region"] == "constantWeight"):
        yield field, f"of kind {tensor['kind']} in {tensor['region']}"
    macro = None if tensor["kind"] == "constant" else f"{network.upper()}_{tensor['c_name']}"
    if tensor.get("macro") != macro:
        yield field, f"macro '{tensor.get('macro')}' where '{macro}' belongs" if macro else "a constant has no macro"


def _tensor_names(tensors: list[Fact]) -> Iterator[Problem]:
    """C names are those that the names lead to. Which numbers avoid a clash depends on what is not recorded."""
    if [t["kind"] for t in tensors] != sorted((t["kind"] for t in tensors), key=_KINDS.index):
        yield "tensors", "not in the order inputs, outputs, constants"
    of_constants = UniqueNames()
    for tensor in tensors:
        name, wanted = tensor["c_name"], legalize(tensor["name"])
        if tensor["kind"] == "constant":
            fits = name == of_constants.take(tensor["name"])
        else:
            bases = (wanted, re.sub(r"__[0-9]+$", "", wanted))
            fits = name == wanted or re.sub(r"__[0-9]+$", "", name) in bases
        if not fits:
            yield f"tensors.{tensor['name']}", f"c_name '{name}' does not come from the name"
    placeholders = [tensor for tensor in tensors if tensor["kind"] != "constant"]
    yield from _repeated("tensors", (tensor["c_name"] for tensor in placeholders))
    for kind in _KINDS:
        yield from _repeated("tensors", (f"{kind} {t['name']}" for t in tensors if t["kind"] == kind))


def _repeated(field: str, names: Iterator[str]) -> Iterator[Problem]:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            yield field, f"'{name}' occurs twice"
        seen.add(name)


def _overlaps(tensors: list[Fact]) -> Iterator[Problem]:
    for region in ("constantWeight", "mutableWeight"):
        there = sorted((t for t in tensors if t["region"] == region and t["size"]), key=lambda t: int(t["offset"]))
        for before, after in pairwise(there):
            if before["offset"] + before["size"] > after["offset"]:
                yield f"tensors.{after['name']}", f"overlaps '{before['name']}' in {region}"


# --- the net -----------------------------------------------------------------------------------------------------


def _engine(facts: Fact) -> Iterator[Problem]:
    engine = facts["net"]["engine"]
    if engine["offset"] + engine["size"] != facts["regions"]["activations"]["size"]:
        yield "net.engine", "does not end the activations"
    if engine["workers"] != facts["options"]["threads"]:
        yield "net.engine.workers", f"{engine['workers']}, but options.threads is {facts['options']['threads']}"
    limits = (engine["heap_bytes"], engine["pairs"], engine["slots"], engine["workers"])
    needed = memory_bytes(*limits, word_bytes=facts["target"]["word_bytes"])
    if engine["size"] < needed:
        yield "net.engine", f"size {engine['size']}, but the limits need {needed} bytes"


def _net(facts: Fact) -> Iterator[Problem]:
    net, options = facts["net"], facts["options"]
    agents = [agent["name"] for agent in net["agents"]]
    ports = "".join(agent["ports"] for agent in net["agents"])
    yield from _repeated("net.agents", iter(agents))
    yield from _repeated("net.natives", (native["name"] for native in net["natives"]))
    yield from _repeated("net.rules", iter(net["rules"]))
    if net["script"] != f"{facts['network']}.in":
        yield "net.script", f"'{net['script']}' where '{facts['network']}.in' belongs"
    if net["dialect"] == "float" and ("i" in ports or net["natives"]):
        yield "net.dialect", "float, but the net has ints or native functions"
    if net["dialect"] == "int" and "f" in ports and "i" not in ports:
        yield "net.dialect", "int, but the agents have floats only"
    is_of_neurons = "Concrete" in agents
    not_its = "tile" if is_of_neurons else "neuron"
    if options["granularity"] == not_its and (is_of_neurons or facts["kernels"]):
        yield "options.granularity", f"{options['granularity']} is not what the net's agents are"
    if is_of_neurons and (options["inpla_weights"] == "region") != bool(net["natives"]):
        yield "options.inpla_weights", f"{options['inpla_weights']} is not where the net has its weights"


def _kernels(facts: Fact) -> Iterator[Problem]:
    natives = [native["name"] for native in facts["net"]["natives"]]
    kernels = [kernel["native"] for kernel in facts["kernels"]]
    if facts["options"]["granularity"] == "tile" and kernels != natives:
        yield "kernels", "are not the native functions of the net"


# --- options, target, files --------------------------------------------------------------------------------------


def _options(facts: Fact) -> Iterator[Problem]:
    options = facts["options"]
    try:
        CompileOptions(**options)
    except CompileError as error:
        yield "options", error.message
    if options["network_name"] and legalize(options["network_name"]) != facts["network"]:
        yield "options.network_name", f"'{options['network_name']}' does not give the network '{facts['network']}'"
    entry = options["main_entry_name"]
    if facts["entry"] != (legalize(entry) if entry else facts["network"]):
        yield "options.main_entry_name", f"'{entry}' does not give the entry '{facts['entry']}'"
    if options["inpla_weights"] == "inline" and options["granularity"] != "neuron":
        yield "options.inpla_weights", "inline is for the granularity neuron"
    if options["inpla_input"] is not None and options["inpla_weights"] != "inline":
        yield "options.inpla_input", "is for inline weights"
    yield from _compiler_options(options, facts["target"])


def _compiler_options(options: Fact, target: Fact) -> Iterator[Problem]:
    """What the C compiler was asked for is in its recorded flags."""
    if options["compiler"] not in ("", target["compiler"]):
        yield "options.compiler", f"'{options['compiler']}', but target.compiler is '{target['compiler']}'"
    flags = " ".join(target["cflags"])
    for name in ("mcpu", "march", "mabi"):
        if options[name] and not re.search(rf"={re.escape(options[name])}(?=[+ ]|$)", flags):
            yield f"options.{name}", f"'{options[name]}' is not in target.cflags"
    if f"-O{options['opt_level']}" not in target["cflags"]:
        yield "options.opt_level", f"-O{options['opt_level']} is not in target.cflags"
    if ("-fPIC" in target["cflags"]) != (options["relocation_model"] == "pic"):
        yield "options.relocation_model", f"{options['relocation_model']} is not what target.cflags say"


def _target(facts: Fact) -> Iterator[Problem]:
    target, wanted = facts["target"], facts["options"]["target"]
    try:
        known = target_data.find(wanted)
    except CompileError as error:
        yield "options.target", error.message
        return
    if target["name"] != known.name:
        yield "target.name", f"'{target['name']}' is not what options.target '{wanted}' means"
    elif known.is_host:
        # The machine that compiled may be another one than this.
        if target["triple"] not in {target_data.load(name).triple for name in target_data.names()}:
            yield "target.triple", f"'{target['triple']}' is unknown"
    elif target["triple"] != (wanted if "-" in wanted and wanted != known.name else known.triple):
        yield "target.triple", f"'{target['triple']}' is not what options.target '{wanted}' means"
    elif (target["word_bytes"], target["byte_order"]) != (known.word_bytes, known.byte_order):
        yield "target", f"words or byte order are not those of {known.name}"


def _files(facts: Fact) -> Iterator[Problem]:
    network = facts["network"]
    suffixes = [".in", ".h", ".c", "_kernels.c", ".weights.bin", ".o"]
    if facts["options"]["bundle_api"] == "static":
        suffixes.append(".weights.txt")
    for suffix in suffixes:
        if f"{network}{suffix}" not in facts["files"]:
            yield "files", f"{network}{suffix} is not listed"
