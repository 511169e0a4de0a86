"""Bundles made by hand, without the other stages: a tile net and a net with interface names.

Both compute y = 2 * x + w for four floats, w = (1, 2, 3, 4), with the input called `data:0` and the output `soft/max`.
"""

from __future__ import annotations

import struct
from dataclasses import replace
from pathlib import Path

import numpy as np

from inbundle.bundle.parts import BundleParts, Kernel
from inbundle.bundle.targets import resolve
from inbundle.bundle.writer import write_bundle
from inbundle.graph.types import ElemKind, TensorType
from inbundle.ir.function import Function, Mutability
from inbundle.ir.memory import MemoryPlan, Place
from inbundle.nets.memory import NET_BYTES, SLACK_WORDS, WORKER_BYTES, EngineLimits
from inbundle.nets.program import BUILTIN_AGENTS, Agent, Head, NativeFunction, Net, PortKind, Program, Rule
from inbundle.options import CompileOptions

WEIGHTS = np.array([1, 2, 3, 4], np.float32)
VECTOR = TensorType(ElemKind.FLOAT, (1, 4))
INT, FLOAT, WIRE = PortKind.INT, PortKind.FLOAT, PortKind.WIRE

TILE_AGENTS = [*BUILTIN_AGENTS, Agent("Ready", (INT,)), Agent("Join", (WIRE, WIRE)), Agent("Scale1", (WIRE, INT))]
NEURON_AGENTS = [*BUILTIN_AGENTS, Agent("Concrete", (FLOAT,)), Agent("Affine", (WIRE, FLOAT))]

TILE_RULES = """
static inpla_status rule_scale(inpla_worker *worker, inpla_cell *left, inpla_cell *right)
{
    inpla_cell *r = inpla_ports(left)[0].cell;
    const inpla_int x = native_scale1(inpla_user(worker), inpla_ports(left)[1].i);
    inpla_free(worker, left, 2);
    inpla_ports(right)[0].i = x;
    return inpla_connect(worker, r, right);
}

static const inpla_agent bundle_agents[] = {
    {"Eraser", ""}, {"Dup", "ww"}, {"Ready", "i"}, {"Join", "ww"}, {"Scale1", "wi"}};
static const inpla_rule_entry bundle_rules[] = {{4, 2, rule_scale}};
static const uint16_t bundle_first_rule[6] = {0, 0, 0, 0, 0, 1};
static const inpla_program bundle_program = {
    "tiny", bundle_agents, bundle_rules, bundle_first_rule, NULL, 5, 1, 0};
"""

# No native function in the image: only rules call it.
TILE_KERNELS = """
#include <stdint.h>

typedef struct {
    const uint8_t *constant_weight;
    uint8_t *mutable_weight;
    uint8_t *activations;
} bundle_regions;

static inpla_int native_scale1(void *user, inpla_int tile)
{
    const bundle_regions *regions = (const bundle_regions *)user;
    const float *w = (const float *)(const void *)regions->constant_weight;
    const float *x = (const float *)(const void *)regions->mutable_weight;
    float *y = (float *)(void *)(regions->mutable_weight + 64);
    int i;
    (void)tile;
    if (x[0] < -1000.0f)
        return 1;
    for (i = 0; i < 4; i++)
        y[i] = 2.0f * x[i] + w[i];
    return 0;
}
"""

NEURON_RULES = """
static inpla_status rule_affine(inpla_worker *worker, inpla_cell *left, inpla_cell *right)
{
    inpla_cell *out = inpla_ports(left)[0].cell;
    const float w = inpla_ports(left)[1].f;
    inpla_free(worker, left, 2);
    inpla_ports(right)[0].f = 2.0f * inpla_ports(right)[0].f + w;
    return inpla_connect(worker, out, right);
}

static const inpla_agent bundle_agents[] = {{"Eraser", ""}, {"Dup", "ww"}, {"Concrete", "f"}, {"Affine", "wf"}};
static const inpla_rule_entry bundle_rules[] = {{3, 2, rule_affine}};
static const uint16_t bundle_first_rule[5] = {0, 0, 0, 0, 1};
static const inpla_program bundle_program = {
    "tiny", bundle_agents, bundle_rules, bundle_first_rule, NULL, 4, 1, 0};
"""

NEURON_KERNELS = """
#include <stdint.h>

typedef struct {
    const uint8_t *constant_weight;
    uint8_t *mutable_weight;
    uint8_t *activations;
} bundle_regions;
"""

# `Ready(0) ~ Scale1(done, 0)` and `x_i ~ Affine(y_i, w_i)` as images; numbers below 128 are one byte each.
CONNECT, END = 2, 0


def _image(slots: int, agents: int, natives: int, body: bytes) -> bytes:
    return b"INet" + bytes([1, slots, agents, natives, len(body)]) + body


def _tile_image() -> bytes:
    ready, scale = 2 * 2 + 1, 2 * 4 + 1
    return _image(1, 5, 1, bytes([CONNECT, ready, 0, 0, scale, 0, 0, 0, END]))


def _neuron_image() -> bytes:
    affine = 2 * 3 + 1
    connections = [
        bytes([CONNECT, 2 * i, affine, 2 * (4 + i), 0]) + struct.pack("<f", float(w)) for i, w in enumerate(WEIGHTS)
    ]
    return _image(8, 4, 0, b"".join(connections) + bytes([END]))


def _function(constants: bool) -> tuple[Function, MemoryPlan]:
    function = Function("tiny")
    plan = MemoryPlan(mutable_bytes=128)
    if constants:
        weights = function.variable("w", VECTOR, Mutability.CONST, WEIGHTS.reshape(1, 4))
        plan.places[weights] = Place("constantWeight", 0, 64)
        plan.constant_bytes = 64
    function.inputs = [function.variable("data:0", VECTOR, Mutability.MUTABLE)]
    function.outputs = [function.variable("soft/max", VECTOR, Mutability.MUTABLE)]
    plan.places[function.inputs[0]] = Place("mutableWeight", 0, 64)
    plan.places[function.outputs[0]] = Place("mutableWeight", 64, 64)
    return function, plan


def _net(names: dict[int, str], statements: list[list[int]]) -> Net:
    """What the manifest speaks of; the bundle runs the image."""
    starts = np.cumsum([0, *map(len, statements)])
    return Net(np.concatenate(statements), starts, names, interactions=len(statements))


def _tile_net() -> Net:
    return _net({0: "done"}, [[2 * 2 + 1, 0, 0, 2 * 4 + 1, 0, 0, 0]])


def _neuron_net() -> Net:
    names = {2 * i + side: f"{'xy'[side]}_{i}" for i in range(4) for side in range(2)}
    bits = WEIGHTS.view(np.int32).tolist()
    return _net(names, [[2 * (2 * i), 2 * 3 + 1, 2 * (2 * i + 1), 0, word] for i, word in enumerate(bits)])


def _limits(heap_bytes: int, slots: int, workers: int = 1) -> EngineLimits:
    """Limits with 16 pairs, for words of 8 bytes: smaller words need less."""
    per_worker = WORKER_BYTES + 16 * 16 + (SLACK_WORDS * 8 if workers > 1 else 0)
    return EngineLimits(heap_bytes, 16, slots, workers, NET_BYTES + workers * per_worker + 8 * slots + heap_bytes)


def tile_parts(network: str = "tiny", entry: str = "", **options: object) -> BundleParts:
    """A tile bundle; `options` are compile options."""
    chosen = CompileOptions(main_entry_name=entry, **options)  # type: ignore[arg-type]
    function, plan = _function(constants=True)
    rule = Rule(Head("Scale1", ("r", "t")), Head("Ready", ("e",)), ())
    program = Program(
        "tiny", TILE_AGENTS, [rule], [NativeFunction("scale1", (INT,), INT)], _tile_net(), outputs=("done",)
    )
    return BundleParts(
        network=network,
        entry=entry or network,
        function=function,
        input_names=("data:0",),
        output_names=("soft/max",),
        plan=plan,
        program=program,
        script="// scale: scale, 1 tile\n",
        image=_tile_image(),
        limits=_limits(1024, 4, chosen.threads),
        rules_source=TILE_RULES.replace("NULL, 5, 1, 0", "&bundle_native, 5, 1, 1").replace(
            "static const inpla_program", NATIVE_ENTRY + "static const inpla_program"
        ),
        kernels_source=TILE_KERNELS,
        options=chosen,
        toolchain=resolve(chosen),
        source_sha256="0" * 64,
        operator_names=("Affine_y",),
        kernels=(Kernel("scale1", "scale", "scale", 1),),
    )


NATIVE_ENTRY = """static int call_scale1(void *user, const inpla_word *arguments, inpla_word *result)
{
    result->i = native_scale1(user, arguments[0].i);
    return 0;
}
static const inpla_native_entry bundle_native = {"scale1", "i", 'i', call_scale1};
"""


def neuron_parts(network: str = "tiny", **options: object) -> BundleParts:
    """A bundle of neuron granularity with its weights in the script."""
    function, plan = _function(constants=False)
    names = tuple(f"x_{i}" for i in range(4)), tuple(f"y_{i}" for i in range(4))
    rule = Rule(Head("Affine", ("out", "w")), Head("Concrete", ("k",)), ())
    program = Program(
        "tiny", NEURON_AGENTS, [rule], [], _neuron_net(), inputs=names[0], outputs=names[1], dialect="float"
    )
    return replace(
        tile_parts(network, granularity="neuron", inpla_weights="inline", **options),
        function=function,
        plan=plan,
        program=program,
        image=_neuron_image(),
        limits=_limits(2048, 8),
        rules_source=NEURON_RULES,
        kernels_source=NEURON_KERNELS,
        kernels=(),
    )


def expected(x: np.ndarray) -> np.ndarray:
    return (2 * x + WEIGHTS).astype(np.float32)


def written(folder: Path, parts: BundleParts) -> Path:
    """The directory of a bundle written below `folder`."""
    directory = folder / parts.network
    write_bundle(parts, directory)
    return directory
