"""A maker for each kind of node: adds one with random operands and attributes, and what must come before it."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from graph_growth import MOST_MAGNITUDE, Growth, Maker
from inbundle.graph.graph import Attribute, Value
from inbundle.graph.ops.activation import GELU_APPROXIMATIONS
from inbundle.graph.ops.shape import PAD_MODES
from inbundle.graph.types import ElemKind

MAKERS: dict[str, Maker] = {}


def makes(*kinds: str) -> Callable[[Callable[[Growth, str], Value]], Callable[[Growth, str], Value]]:
    """Enter a function, which takes the kind as well, as the maker of these kinds."""

    def enter(make: Callable[[Growth, str], Value]) -> Callable[[Growth, str], Value]:
        for kind in kinds:
            MAKERS[kind] = lambda growth, kind=kind: make(growth, kind)
        return make

    return enter


@makes("Relu", "LeakyRelu", "Elu", "Sigmoid", "HardSigmoid", "HardSwish", "Tanh", "Abs", "Neg", "Erf")
@makes("Sin", "Cos", "Atan", "Asinh")
def _activation(growth: Growth, kind: str) -> Value:
    return growth.add(kind, [growth.floats()])


@makes("Gelu")
def _gelu(growth: Growth, kind: str) -> Value:
    return growth.add(kind, [growth.floats()], {"approximate": growth.rng.choice(GELU_APPROXIMATIONS)})


@makes("Softplus")
def _softplus(growth: Growth, kind: str) -> Value:
    x = growth.floats()
    return growth.add(kind, [x], magnitude=growth.of(x) + 1.0)


@makes("Asin", "Acos", "Atanh")
def _of_fraction(growth: Growth, kind: str) -> Value:
    return growth.add(kind, [growth.bounded(growth.floats(), 0.9)], magnitude=3.2)


@makes("Acosh")
def _of_more_than_one(growth: Growth, kind: str) -> Value:
    positive = growth.positive(growth.floats())
    return growth.add(kind, [growth.add("Add", [positive, positive], magnitude=2 * growth.of(positive))])


@makes("Floor", "Ceil", "Round", "Sign")
def _step(growth: Growth, kind: str) -> Value:
    return growth.add(kind, [growth.of_input()], magnitude=1.0)


@makes("Mod")
def _mod(growth: Growth, kind: str) -> Value:
    integers = growth.any(lambda type: type.elem in (ElemKind.INT32, ElemKind.INT64))
    return growth.add(kind, [integers, integers], {"fmod": growth.rng.random() < 0.5})


@makes("Sinh", "Cosh", "Exp")
def _exp(growth: Growth, kind: str) -> Value:
    return growth.add(kind, [growth.bounded(growth.floats(), 2.0)], magnitude=8.0)


@makes("Log", "Sqrt")
def _of_positive(growth: Growth, kind: str) -> Value:
    return growth.add(kind, [growth.positive(growth.floats())])


@makes("Clip")
def _clip(growth: Growth, kind: str) -> Value:
    low = growth.rng.choice((-1.0, -0.5, 0.0))
    return growth.add(kind, [growth.floats()], {"min": low, "max": low + growth.rng.choice((0.5, 1.0, 6.0))})


@makes("Add", "Sub", "Min", "Max")
def _sum(growth: Growth, kind: str) -> Value:
    if growth.rng.random() < 0.1:
        a = growth.any(lambda type: type.elem in (ElemKind.INT32, ElemKind.INT64))
        return growth.add(kind, [a, growth.any(lambda type: type == a.type)])
    a = growth.floats()
    return _binary(growth, kind, a, growth.partner(a), sum)


@makes("Mul")
def _product(growth: Growth, kind: str) -> Value:
    a = growth.floats()
    return _binary(growth, kind, a, growth.partner(a), math.prod)


@makes("Div")
def _quotient(growth: Growth, kind: str) -> Value:
    a = growth.floats()
    return growth.add(kind, [a, growth.positive(growth.partner(a))], magnitude=2 * growth.of(a))


def _binary(growth: Growth, kind: str, a: Value, b: Value, bound: Callable[[list[float]], float]) -> Value:
    """Operands in any order."""
    operands = growth.rng.choice(([a, b], [b, a]))
    return growth.add(kind, operands, magnitude=bound([growth.of(a), growth.of(b)]))


@makes("Pow")
def _power(growth: Growth, kind: str) -> Value:
    x = growth.floats()
    if growth.rng.random() < 0.5:
        return growth.add(kind, [x, growth.constant((), 2.0, 2.0)], magnitude=growth.of(x) ** 2)
    exponent = growth.rng.choice((-1.0, 0.5, 1.5))
    return growth.add(
        kind, [growth.positive(x), growth.constant((), exponent, exponent)], magnitude=growth.of(x) ** 1.5
    )


@makes("PRelu")
def _prelu(growth: Growth, kind: str) -> Value:
    x = growth.floats()
    slope = [growth.rng.choice((1, size)) for size in x.type.shape]
    return growth.add(kind, [x, growth.constant(slope)])


@makes("Equal", "Less", "LessOrEqual")
def _comparison(growth: Growth, kind: str) -> Value:
    x = growth.of_input()
    shape = [growth.rng.choice((1, size)) for size in x.type.shape]
    return growth.add(kind, growth.rng.choice(([x, growth.constant(shape)], [growth.constant(shape), x])))


def _truths(growth: Growth) -> Value:
    """Booleans that are there, or a comparison."""
    if growth.rng.random() < 0.5 and any(value.type.elem is ElemKind.BOOL for value in growth.values):
        return growth.any(lambda type: type.elem is ElemKind.BOOL)
    return _comparison(growth, "Less")


@makes("And", "Or", "Xor", "Not")
def _logic(growth: Growth, kind: str) -> Value:
    a = _truths(growth)
    return growth.add(kind, [a] if kind == "Not" else [a, growth.any(lambda type: type == a.type)])


@makes("BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitwiseNot")
def _bits(growth: Growth, kind: str) -> Value:
    a = growth.any(lambda type: type.elem in (ElemKind.INT32, ElemKind.INT64))
    return growth.add(kind, [a] if kind.endswith("Not") else [a, growth.any(lambda type: type == a.type)])


@makes("BitShift")
def _bit_shift(growth: Growth, kind: str) -> Value:
    counted = growth.add("Cast", [growth.bounded(growth.positive(growth.of_input()), 3.0)], {"to": "UINT8"})
    return growth.add(kind, [counted, counted], {"direction": growth.rng.choice(("LEFT", "RIGHT"))})


@makes("IsNaN", "IsInf")
def _no_number(growth: Growth, kind: str) -> Value:
    return growth.add(kind, [growth.floats()])


@makes("Where")
def _where(growth: Growth, kind: str) -> Value:
    condition = _truths(growth)
    x = growth.constant(condition.type.shape)
    if growth.rng.random() < 0.7:
        x = growth.any(lambda type: type.elem is ElemKind.FLOAT and type.rank == condition.type.rank)
    y = growth.partner(x)
    operands = growth.rng.choice(([x, y], [y, x]))
    return growth.add(kind, [condition, *operands], magnitude=max(growth.of(x), growth.of(y)))


@makes("Softmax", "LogSoftmax")
def _softmax(growth: Growth, kind: str) -> Value:
    x = growth.floats()
    return growth.add(kind, [x], {"axis": growth.axis(x)}, magnitude=2 * growth.of(x) + 7.0)


@makes("BatchNormalization")
def _batch_normalization(growth: Growth, kind: str) -> Value:
    x = growth.any(lambda type: type.elem is ElemKind.FLOAT and type.rank >= 2)
    channels = x.type.shape[1:2]
    scale, bias, mean = (growth.constant(channels) for _ in range(3))
    variance = growth.constant(channels, 0.5, 2.0)
    return growth.add(kind, [x, scale, bias, mean, variance], {"epsilon": 1e-5}, magnitude=2 * growth.of(x) + 3.0)


@makes("InstanceNormalization", "GroupNormalization")
def _normalization_of_images(growth: Growth, kind: str) -> Value:
    """With a large epsilon, so that images of equal elements do not make noise large."""
    x = growth.any(lambda type: type.elem is ElemKind.FLOAT and type.rank >= 3)
    channels = x.type.shape[1]
    attributes: dict[str, Attribute] = {"epsilon": 0.1}
    if kind == "GroupNormalization":
        attributes["num_groups"] = growth.rng.choice([size for size in range(1, channels + 1) if channels % size == 0])
    parameters = [growth.constant((channels,)) for _ in range(2)]
    return growth.add(kind, [x, *parameters], attributes, magnitude=5.0)


@makes("LayerNormalization")
def _layer_normalization(growth: Growth, kind: str) -> Value:
    x = growth.floats()
    axis = growth.axis(x)
    parameters = [growth.constant(x.type.shape[axis:]) for _ in range(growth.rng.randint(1, 2))]
    return growth.add(kind, [x, *parameters], {"axis": axis, "epsilon": 0.1}, magnitude=5.0)


def window(growth: Growth, x: Value, *, pads: bool = True) -> dict[str, Attribute]:
    """Window attributes that mostly fit the image."""
    rng, rank = growth.rng, x.type.rank - 2
    kernel = tuple(rng.randint(1, min(3, size)) for size in x.type.shape[2:])
    begins_and_ends = [rng.randint(0, (size - 1)) if pads and rng.random() < 0.4 else 0 for size in (*kernel, *kernel)]
    return {
        "kernel_shape": kernel,
        "strides": tuple(rng.choice((1, 1, 2)) for _ in range(rank)),
        "pads": tuple(begins_and_ends),
        "dilations": tuple(rng.choice((1, 1, 1, 2)) for _ in range(rank)),
    }


@makes("Conv")
def _conv(growth: Growth, kind: str) -> Value:
    return convolved(growth, growth.image(), pads=True)


def convolved(growth: Growth, x: Value, *, pads: bool) -> Value:
    channels = x.type.shape[1]
    group = growth.rng.choice([group for group in (1, 1, 2, channels) if channels % group == 0])
    filters = group * growth.rng.randint(1, 2)
    frame = window(growth, x, pads=pads)
    kernel = frame["kernel_shape"]
    assert isinstance(kernel, tuple)
    taps = math.prod(map(int, kernel)) * channels // group
    weights = growth.constant((filters, channels // group, *map(int, kernel)), -1 / taps**0.5, 1 / taps**0.5)
    bias = growth.constant((filters,)) if growth.rng.random() < 0.7 else None
    bound = growth.of(x) * taps**0.5 + 1.0
    return growth.add("Conv", [x, weights, bias], {**frame, "group": group}, magnitude=bound)


@makes("MaxPool")
def _max_pool(growth: Growth, kind: str) -> Value:
    x = growth.image()
    attributes = {**window(growth, x), "ceil_mode": growth.rng.random() < 0.3}
    if growth.rng.random() < 0.7:
        return growth.add(kind, [x], attributes)
    return growth.add(kind, [x], {**attributes, "storage_order": growth.rng.choice((0, 1))}, results=2)


@makes("AveragePool")
def _average_pool(growth: Growth, kind: str) -> Value:
    x = growth.image()
    flags = {name: growth.rng.random() < 0.3 for name in ("ceil_mode", "count_include_pad")}
    return growth.add(kind, [x], {**window(growth, x), **flags})


@makes("GlobalAveragePool", "GlobalMaxPool")
def _global_pool(growth: Growth, kind: str) -> Value:
    return growth.add(kind, [growth.image()])


@makes("Gemm")
def _gemm(growth: Growth, kind: str) -> Value:
    rng, a = growth.rng, growth.floats(2)
    flags = {"transA": rng.random() < 0.3, "transB": rng.random() < 0.5}
    rows, inner = a.type.shape[::-1] if flags["transA"] else a.type.shape
    columns = rng.randint(1, 4)
    b = growth.constant((columns, inner) if flags["transB"] else (inner, columns))
    c = growth.constant(rng.choice(((rows, columns), (columns,), (1,), ()))) if rng.random() < 0.7 else None
    factors = {"alpha": rng.choice((1.0, 1.0, 0.5)), "beta": rng.choice((1.0, 1.0, -2.0))}
    return growth.add(kind, [a, b, c], {**flags, **factors}, magnitude=growth.of(a) * max(inner, 1) + 2.0)


@makes("MatMul")
def _matmul(growth: Growth, kind: str) -> Value:
    a = growth.any(lambda type: type.elem is ElemKind.FLOAT and type.rank >= 1)
    inner = a.type.shape[-1]
    b = growth.constant((inner, growth.rng.randint(1, 4)))
    if growth.rng.random() < 0.3 and a.type.rank >= 2:
        b = growth.floats(a.type.rank)
    return growth.add(kind, [a, b], magnitude=growth.of(a) * growth.of(b) * max(inner, 1))


@makes("Reshape")
def _reshape(growth: Growth, kind: str) -> Value:
    x = growth.any()
    shape = x.type.shape
    flat = (math.prod(shape[:1]), math.prod(shape[1:]))
    choices = [(x.type.elements,), shape[::-1], (1, *shape), (*shape, 1), shape, flat]
    return growth.add(kind, [x], {"shape": growth.rng.choice(choices)})


@makes("Transpose")
def _transpose(growth: Growth, kind: str) -> Value:
    x = growth.any()
    return growth.add(kind, [x], {"perm": tuple(growth.rng.sample(range(x.type.rank), x.type.rank))})


@makes("Concat")
def _concat(growth: Growth, kind: str) -> Value:
    x = growth.floats()
    axis = growth.axis(x)
    others = [growth.partner_along(x, axis) for _ in range(growth.rng.randint(0, 2))]
    operands = [x, *others]
    growth.rng.shuffle(operands)
    return growth.add(kind, operands, {"axis": axis})


@makes("Slice")
def _slice(growth: Growth, kind: str) -> Value:
    x = growth.any()
    starts, steps, sizes = [], [], []
    for size in x.type.shape:
        step = growth.rng.choice((1, 1, 1, 2, -1))
        start = growth.rng.randrange(size) if growth.rng.random() < 0.5 else 0 if step > 0 else size - 1
        room = size - start if step > 0 else start + 1
        starts.append(start)
        steps.append(step)
        sizes.append(-(-room // abs(step)))
    return growth.add(kind, [x], {"starts": tuple(starts), "steps": tuple(steps), "shape": tuple(sizes)})


@makes("Pad")
def _pad(growth: Growth, kind: str) -> Value:
    x = growth.any(lambda type: type.elem is ElemKind.FLOAT and type.rank > 0)
    mode = growth.rng.choice(PAD_MODES) if growth.rng.random() < 0.5 else "constant"
    pads = tuple(growth.rng.choice((0, 0, 1, 2, -1)) for _ in range(2 * x.type.rank))
    return growth.add(kind, [x], {"pads": pads, "mode": mode, "value": growth.rng.choice((0.0, 0.0, 1.5))})


@makes("Gather")
def _gather(growth: Growth, kind: str) -> Value:
    x = growth.any()
    axis = growth.axis(x)
    size = x.type.shape[axis]
    shape = growth.rng.choice(((), (1,), (2,), (2, 2)))
    chosen = np.random.default_rng(growth.rng.getrandbits(16)).integers(-size, size, shape)
    indices = growth.graph.add_constant("indices", np.asarray(chosen, growth.rng.choice((np.int64, np.int32))))
    return growth.add(kind, [x, indices], {"axis": axis})


@makes("Expand")
def _expand(growth: Growth, kind: str) -> Value:
    x = growth.any()
    shape = tuple(growth.rng.choice((size, 2)) if size == 1 else size for size in x.type.shape)
    return growth.add(kind, [x], {"shape": growth.rng.choice((shape, (2, *shape)))})


@makes("Cast")
def _cast(growth: Growth, kind: str) -> Value:
    """To an integer only what is one already: a fraction could fall to either side."""
    x = growth.any()
    if x.type.elem is not ElemKind.FLOAT:
        return growth.add(kind, [x], {"to": growth.rng.choice(("FLOAT", "INT32", "INT64"))}, magnitude=MOST_MAGNITUDE)
    wide = growth.add(kind, [x], {"to": "FLOAT64"})
    return growth.add(kind, [wide], {"to": "FLOAT"})


@makes("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin")
def _reduce(growth: Growth, kind: str) -> Value:
    x = growth.floats()
    axes = tuple(sorted(growth.rng.sample(range(x.type.rank), growth.rng.randint(0, x.type.rank))))
    count = math.prod(x.type.shape[axis] for axis in axes) if kind == "ReduceSum" else 1
    keepdims = growth.rng.random() < 0.5
    return growth.add(kind, [x], {"axes": axes, "keepdims": keepdims}, magnitude=growth.of(x) * count)


@makes("ReduceProd")
def _product_along(growth: Growth, kind: str) -> Value:
    x = growth.bounded(growth.floats(), 1.5)
    return growth.add(kind, [x], {"axes": (growth.axis(x),), "keepdims": growth.rng.random() < 0.5}, magnitude=8.0)


@makes("CumSum")
def _running_sum(growth: Growth, kind: str) -> Value:
    x = growth.floats()
    axis = growth.axis(x)
    flags = {name: growth.rng.random() < 0.5 for name in ("exclusive", "reverse")}
    return growth.add(kind, [x], {"axis": axis, **flags}, magnitude=growth.of(x) * x.type.shape[axis])


@makes("TopK")
def _top(growth: Growth, kind: str) -> Value:
    """Of an input: see `of_input`."""
    x = growth.of_input()
    axis = growth.axis(x)
    attributes = {"axis": axis, "k": growth.rng.randint(1, x.type.shape[axis]), "largest": growth.rng.random() < 0.5}
    return growth.add(kind, [x], attributes, results=growth.rng.randint(1, 2))


@makes("ScatterND")
def _scatter(growth: Growth, kind: str) -> Value:
    x = growth.any(lambda type: type.elem is ElemKind.FLOAT and type.rank > 0)
    places = np.random.default_rng(growth.rng.getrandbits(16)).integers(0, x.type.shape[0], (2, 1))
    operands = [x, growth.graph.add_constant("places", places), growth.constant((2, *x.type.shape[1:]))]
    reduction = growth.rng.choice(("none", "add", "max"))
    return growth.add(kind, operands, {"reduction": reduction}, magnitude=growth.of(x) + 2.0)


@makes("ArgMax", "ArgMin")
def _arg(growth: Growth, kind: str) -> Value:
    """Of an input, whose elements no pass rounds otherwise."""
    inputs = [value for value in growth.graph.inputs if value.type.elem is ElemKind.FLOAT and value.type.rank]
    x = growth.rng.choice(inputs)
    flags = {name: growth.rng.random() < 0.5 for name in ("keepdims", "select_last_index")}
    return growth.add(kind, [x], {"axis": growth.axis(x), **flags})
