"""Whether a manifest agrees with the files of its bundle: with the numbers and tables that the compiled C really uses.

The files are those that the manifest lists, and their hashes are right: an edit of the manifest alone is found here.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from inbundle.bundle.manifest_checks import Fact, Problem
from inbundle.graph.types import ElemKind, TensorType
from inbundle.nets.program import BUILTIN_AGENTS

_ELEMENTS = {kind.glow_name: kind for kind in ElemKind}
_DESCRIPTION = re.compile(
    r'//   Name: "(\w+)"\n//   Type: (.+)\n.*\n//   Size: (\d+) \(bytes\)\n//   Offset: (\d+) \(bytes\)'
)
_WRITTEN = re.compile(r"\(\w+ \*\)\(void \*\)\(regions->mutable_weight \+ (\d+)\)")
_CONSTANT = re.compile(r"\(regions->constant_weight \+ (\d+)\)")
_NATIVE = re.compile(r"^static (\w+) native_(\w+)\(void \*user((?:, \w+ \w+)*)\)$", re.M)
_PORTS = {"float": "f", "inpla_int": "i"}
_CONSTANTS = "\n// Constants:\n"


def disagreements(facts: Fact, files: Mapping[str, bytes]) -> Iterator[Problem]:
    """What the manifest says otherwise than the files.

    Args:
        files: the contents of the listed files, by name.
    """
    network = facts["network"]
    yield from _unlisted(f"{network}.c", files)
    header, unit, kernels, script = (
        files[f"{network}{suffix}"].decode("utf-8", "replace") for suffix in (".h", ".c", "_kernels.c", ".in")
    )
    for field, said, found in [
        *_of_header(facts, header),
        *(_of_config(facts, unit) if facts["options"]["bundle_api"] == "dynamic" else _of_macros(facts, header)),
        *_of_unit(facts, unit),
        *_of_natives(facts, kernels),
        *_of_object(facts, files[f"{network}.o"]),
    ]:
        if said != found:
            yield field, f"says {_short(said)}, the bundle's files {_short(found)}"
    yield from _kernels(facts, script)
    if facts["options"]["granularity"] == "tile":
        yield from _written(facts, kernels)
        yield from _constants(facts, kernels)


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 100 else f"{text[:97]}..."


def _unlisted(source: str, files: Mapping[str, bytes]) -> Iterator[Problem]:
    """Files that are compiled into the bundle and not listed."""
    waiting, seen = [source], {source}
    while waiting:
        name = waiting.pop()
        if name not in files:
            yield "files", f"{name} is not listed"
            return
        included = re.findall(rb'^#include "([^"]+)"', files[name], re.M)
        found = {posixpath.join(posixpath.dirname(name), path.decode("utf-8", "replace")) for path in included} - seen
        waiting += sorted(found)
        seen |= found


# --- NAME.h ------------------------------------------------------------------------------------------------------

Comparison = tuple[str, Any, Any]  # the field, what the manifest says, what the file says


def _of_header(facts: Fact, header: str) -> Iterator[Comparison]:
    options = facts["options"]
    yield "tool.version", facts["tool"]["version"], _first(r"^// inbundle (.+)$", header)
    yield "entry", facts["entry"], _first(r"^int (\w+)\(uint8_t \*constantWeight,", header)
    yield "options.bundle_api", options["bundle_api"], "dynamic" if "BundleConfig" in header else "static"
    yield "options.profile_kernels", options["profile_kernels"], "BundleProfile" in header
    yield "options.bundle_api_verbose", options["bundle_api_verbose"], _CONSTANTS in header
    placeholders, _, constants = header.partition(_CONSTANTS)
    yield from _described([t for t in facts["tensors"] if t["kind"] != "constant"], placeholders)
    if constants:
        yield from _described([t for t in facts["tensors"] if t["kind"] == "constant"], constants)


def _first(pattern: str, text: str) -> str | None:
    found = re.search(pattern, text, re.M)
    return found[1] if found else None


def _described(tensors: list[Fact], comment: str) -> Iterator[Comparison]:
    found = [(name, type, int(size), int(offset)) for name, type, size, offset in _DESCRIPTION.findall(comment)]
    for tensor, description in zip(tensors, found, strict=False):
        said = (tensor["c_name"], str(_type(tensor)), tensor["size"], tensor["offset"])
        yield f"tensors.{tensor['name']}", said, description
    yield "tensors", [tensor["c_name"] for tensor in tensors], [name for name, *_ in found]


def _type(tensor: Fact) -> TensorType:
    return TensorType(_ELEMENTS[tensor["type"]], tuple(tensor["shape"]))


def _of_macros(facts: Fact, header: str) -> Iterator[Comparison]:
    """The numbers of the static API."""
    up = facts["network"].upper()
    numbers = {name: int(value) for name, value in re.findall(rf"^#define {up}_(\w+) +(\d+)$", header, re.M)}
    for region, macro in (("constantWeight", "CONSTANT"), ("mutableWeight", "MUTABLE"), ("activations", "ACTIVATIONS")):
        yield f"regions.{region}.size", facts["regions"][region]["size"], numbers.get(f"{macro}_MEM_SIZE")
        yield f"regions.{region}.alignment", facts["regions"][region]["alignment"], numbers.get("MEM_ALIGN")
    for tensor in facts["tensors"]:
        if tensor["kind"] != "constant":
            yield f"tensors.{tensor['name']}.offset", tensor["offset"], numbers.get(tensor["c_name"])


# --- NAME.c ------------------------------------------------------------------------------------------------------


def _of_config(facts: Fact, unit: str) -> Iterator[Comparison]:
    """The numbers of the dynamic API."""
    regions, network = facts["regions"], facts["network"]
    names = ("constantWeight", "mutableWeight", "activations")
    found = _numbers(_first(rf"^const BundleConfig {network}_config = \{{\n(.*)$", unit) or "")
    yield "regions", [*(regions[name]["size"] for name in names), regions["activations"]["alignment"]], found[:4]
    symbols = re.findall(r'^ +\{"(\w+)", (\d+), (\d+), 1\},$', unit, re.M)
    placeholders = [tensor for tensor in facts["tensors"] if tensor["kind"] != "constant"]
    said = [(tensor["c_name"], str(tensor["offset"]), str(_type(tensor).elements)) for tensor in placeholders]
    yield "tensors", said, symbols


def _numbers(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"\b\d+\b", text)]


def _of_unit(facts: Fact, unit: str) -> Iterator[Comparison]:
    """Limits, tables and comments of the translation unit."""
    net, engine, image = facts["net"], facts["net"]["engine"], facts["net"]["image"]
    for field, value, macro in (
        ("net.engine.heap_bytes", engine["heap_bytes"], "BUNDLE_HEAP_BYTES"),
        ("net.engine.pairs", engine["pairs"], "BUNDLE_PAIRS"),
        ("net.engine.slots", engine["slots"], "BUNDLE_SLOTS"),
        ("net.engine.workers", engine["workers"], "INBUNDLE_THREADS"),
        ("net.engine.offset", engine["offset"], "BUNDLE_ENGINE_OFFSET"),
        ("net.engine.size", engine["size"], "BUNDLE_ENGINE_BYTES"),
        ("net.image.offset", image["offset"], "BUNDLE_IMAGE_OFFSET"),
        ("net.image.size", image["size"], "BUNDLE_IMAGE_BYTES"),
    ):
        yield field, str(value), _first(rf"^#define {macro} (\d+)u?$", unit)
    bits = _first(r"compiled for (\d+)-bit words", unit)
    yield "target.word_bytes", str(facts["target"]["word_bytes"] * 8), bits
    agents = re.findall(r'\{"(\w+)", "(\w*)"\}', _table("bundle_agents", unit))
    yield "net.agents", [(agent["name"], agent["ports"]) for agent in net["agents"]], agents
    yield "net.rules", sorted(net["rules"]), _rules([name for name, _ in agents], unit)
    comment = _first(rf"^ \* {facts['entry']} returns\n((?: \* +\d+  .*\n)*)", unit) or ""
    errors = [(int(code), text) for code, text in re.findall(r"^ \* +(\d+)  (.*)$", comment, re.M)]
    yield "errors", [(error["code"], error["text"]) for error in facts["errors"]], errors


def _table(name: str, unit: str) -> str:
    """What stands between the braces of an array."""
    found = re.search(rf"\b{name}\[[^\]]*\] = \{{(.*?)\}};", unit, re.S)
    return found[1] + "}" if found else ""


def _rules(agents: list[str], unit: str) -> list[str]:
    """The pairs of agents that have rules, sorted. A rule's entry gives numbers, or names of the enumeration AGENT_."""
    own = re.findall(r"^ +(.*)$", _first(r"^enum \{\n((?: .*\n)*)\};\n\nstatic const inpla_agent", unit) or "", re.M)
    words = re.findall(r"\bAGENT_\w+", " ".join(own))
    names = {str(number): name for number, name in enumerate(agents)}
    names |= dict(zip(words, agents[len(BUILTIN_AGENTS) :], strict=False))
    entries = re.findall(r"\{(\w+), (\w+), \w+\}", _table("bundle_rules", unit))
    return sorted(f"{names.get(left, left)} >< {names.get(right, right)}" for left, right in entries)


# --- NAME_kernels.c, NAME.in, NAME.o -----------------------------------------------------------------------------


def _of_natives(facts: Fact, kernels: str) -> Iterator[Comparison]:
    said = sorted((native["name"], native["parameters"], native["result"]) for native in facts["net"]["natives"])
    found = sorted(
        (name, _port_kinds(re.findall(r", (\w+) ", parameters)), _port_kinds([result]))
        for result, name, parameters in _NATIVE.findall(kernels)
    )
    yield "net.natives", said, found


def _port_kinds(types: Iterable[str]) -> str:
    return "".join(_PORTS.get(type, "?") for type in types)


def _kernels(facts: Fact, script: str) -> Iterator[Problem]:
    """The script says above each rule of a kernel what it runs."""
    for kernel in facts["kernels"]:
        tiles = f"{kernel['tiles']} tile{'s' if kernel['tiles'] > 1 else ''}"
        comment = f"{kernel['instruction']}: {kernel['kind']}, {tiles}"
        if f"// {comment}\n" not in script:
            yield f"kernels.{kernel['native']}", f"the script has no task '{comment}'"


def _written(facts: Fact, kernels: str) -> Iterator[Problem]:
    """Kernels write outputs, all of them, and nothing else of the mutable weights."""
    written = [int(offset) for offset in _WRITTEN.findall(kernels)]
    for tensor in facts["tensors"]:
        if tensor["kind"] != "constant" and tensor["size"]:
            end = tensor["offset"] + tensor["size"]
            is_written = any(tensor["offset"] <= offset < end for offset in written)
            if is_written != (tensor["kind"] == "output"):
                yield f"tensors.{tensor['name']}", f"an {tensor['kind']}, which the kernels {_verb(is_written)}"


def _constants(facts: Fact, kernels: str) -> Iterator[Problem]:
    """What kernels read of the constant weights is in the constants."""
    places = [(t["offset"], max(t["size"], 1)) for t in facts["tensors"] if t["kind"] == "constant"]
    for offset in map(int, _CONSTANT.findall(kernels)):
        if not any(start <= offset < start + size for start, size in places):
            yield "tensors", f"no constant at {offset}, where a kernel reads one"
            return


def _verb(is_written: bool) -> str:
    return "write" if is_written else "do not write"


def _of_object(facts: Fact, data: bytes) -> Iterator[Comparison]:
    """The head of an ELF object; other formats say nothing here."""
    if data[:4] == b"\x7fELF":
        order = {1: "little", 2: "big"}.get(data[5])
        yield "target.byte_order", facts["target"]["byte_order"], order
