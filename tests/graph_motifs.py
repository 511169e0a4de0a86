"""Chains of nodes that exporters write and passes look for, with random operands around them."""

from __future__ import annotations

from graph_growth import Growth, Maker
from graph_makers import convolved, window
from inbundle.graph.graph import Attribute, Value
from inbundle.graph.types import ElemKind

MOTIFS: list[Maker] = []


def motif(make: Maker) -> Maker:
    MOTIFS.append(make)
    return make


@motif
def _conv_norm_relu_pool(growth: Growth) -> Value:
    y = convolved(growth, growth.image(), pads=True)
    if growth.rng.random() < 0.7:
        y = _per_channel_norm(growth, y)
    y = growth.add(growth.rng.choice(("Relu", "HardSwish", "Sigmoid")), [y])
    return _max_pooled(growth, y) if growth.rng.random() < 0.5 else y


def _per_channel_norm(growth: Growth, x: Value) -> Value:
    parameters = [growth.constant(x.type.shape[1:2], *range_) for range_ in ((-1, 1), (-1, 1), (-1, 1), (0.5, 2))]
    return growth.add("BatchNormalization", [x, *parameters], {"epsilon": 1e-5}, magnitude=2 * growth.of(x) + 3.0)


def _max_pooled(growth: Growth, x: Value) -> Value:
    return growth.add("MaxPool", [x], window(growth, x))


@motif
def _relu_after_pool(growth: Growth) -> Value:
    return growth.add("Relu", [_max_pooled(growth, growth.image())])


@motif
def _arithmetic_chain(growth: Growth) -> Value:
    """Constant factors and summands per channel after a convolution, a BatchNormalization or anything."""
    y = growth.image()
    if growth.rng.random() < 0.6:
        y = convolved(growth, y, pads=True)
    elif growth.rng.random() < 0.5:
        y = _per_channel_norm(growth, y)
    ones = (1,) * (y.type.rank - 2)
    for kind in growth.rng.choices(("Mul", "Add", "Sub", "Div"), k=growth.rng.randint(1, 3)):
        low = 0.5 if kind == "Div" else -1.0
        per_channel = growth.constant((y.type.shape[1], *ones), low, 1.0)
        operands = [per_channel, y] if kind in ("Mul", "Add") and growth.rng.random() < 0.5 else [y, per_channel]
        y = growth.add(kind, operands, magnitude=2 * growth.of(y) + 1.0)
    return y


@motif
def _pad_conv(growth: Growth) -> Value:
    x = growth.image()
    spatial = [growth.rng.randint(0, 2) for _ in range(2 * (x.type.rank - 2))]
    half = len(spatial) // 2
    pads = (0, 0, *spatial[:half], 0, 0, *spatial[half:])
    padded = growth.add("Pad", [x], {"pads": pads, "value": growth.rng.choice((0.0, 0.0, 0.0, 1.0))})
    return convolved(growth, padded, pads=growth.rng.random() < 0.5)


@motif
def _matmul_add(growth: Growth) -> Value:
    x = growth.floats(2)
    product = growth.add(
        "MatMul", [x, growth.constant((x.type.shape[1], 3))], magnitude=growth.of(x) * max(1, x.type.shape[1])
    )
    y = growth.add("Add", [product, growth.constant((3,))], magnitude=growth.of(product) + 1.0)
    return growth.add("Relu", [y]) if growth.rng.random() < 0.5 else y


@motif
def _transposes(growth: Growth) -> Value:
    x = growth.floats()
    perm = tuple(growth.rng.sample(range(x.type.rank), x.type.rank))
    inverse = tuple(perm.index(axis) for axis in range(len(perm)))
    y = growth.add("Transpose", [x], {"perm": perm})
    for _ in range(growth.rng.randint(0, 2)):
        y = growth.add(growth.rng.choice(("Relu", "Tanh", "Abs")), [y])
    return growth.add("Transpose", [y], {"perm": growth.rng.choice((inverse, perm))})


@motif
def _nested_concats(growth: Growth) -> Value:
    x = growth.floats()
    axis = growth.axis(x)
    inner = growth.add("Concat", [x, growth.partner_along(x, axis)], {"axis": axis})
    return growth.add("Concat", [growth.partner_along(x, axis), inner, x], {"axis": axis})


@motif
def _parts(growth: Growth) -> Value:
    """Slices along an axis, put together again in some order."""
    x = growth.floats()
    axis = growth.axis(x)
    cut = growth.rng.randint(0, x.type.shape[axis])
    parts = [_part(growth, x, axis, *bounds) for bounds in ((0, cut), (cut, x.type.shape[axis]))]
    if growth.rng.random() < 0.3:
        parts.reverse()
    return growth.add("Concat", parts, {"axis": axis})


def _part(growth: Growth, x: Value, axis: int, start: int, end: int) -> Value:
    starts = tuple(start if at == axis else 0 for at in range(x.type.rank))
    shape = tuple(end - start if at == axis else size for at, size in enumerate(x.type.shape))
    return growth.add("Slice", [x], {"starts": starts, "steps": (1,) * x.type.rank, "shape": shape})


@motif
def _parts_of_a_concat(growth: Growth) -> Value:
    x = growth.floats()
    axis = growth.axis(x)
    other = growth.partner_along(x, axis)
    size, whole = x.type.shape[axis], growth.add("Concat", [x, other], {"axis": axis})
    return _part(growth, whole, axis, *growth.rng.choice(((0, size), (size, whole.type.shape[axis]), (0, 1))))


@motif
def _mean_of_an_image(growth: Growth) -> Value:
    x = growth.image()
    y = growth.add("ReduceMean", [x], {"axes": tuple(range(2, x.type.rank)), "keepdims": growth.rng.random() < 0.5})
    return growth.add("Reshape", [y], {"shape": y.type.shape[:2]})


@motif
def _bounds(growth: Growth) -> Value:
    """Max and Min with constants of one value, and of several."""
    y = growth.floats()
    for kind in growth.rng.choices(("Max", "Min", "Relu"), k=2):
        bound = growth.rng.choice((-0.5, 0.0, 0.5))
        y = growth.add(kind, [y] if kind == "Relu" else [y, growth.constant((), bound, bound)])
    return y


@motif
def _layer_normalization(growth: Growth) -> Value:
    x = growth.any(lambda type: type.elem is ElemKind.FLOAT and type.rank >= 1 and type.shape[-1] > 1)
    last: dict[str, Attribute] = {"axes": (x.type.rank - 1,), "keepdims": True}
    centred = growth.add("Sub", [x, growth.add("ReduceMean", [x], last)], magnitude=2 * growth.of(x))
    square = growth.rng.choice(("Mul", "Pow"))
    operands = [centred, centred if square == "Mul" else growth.constant((), 2.0, 2.0)]
    squares = growth.add(square, operands, magnitude=growth.of(centred) ** 2)
    variance = growth.add("ReduceMean", [squares], last)
    # A large epsilon, so that rows of equal elements do not make noise large.
    deviation = growth.add("Sqrt", [growth.add("Add", [variance, growth.constant((), 0.1, 0.1)])])
    normal = growth.add("Div", [centred, deviation], magnitude=4.0)
    scaled = growth.add("Mul", [normal, growth.constant(x.type.shape[-1:])])
    return growth.add("Add", [scaled, growth.constant(x.type.shape[-1:])])


@motif
def _softmax_in_steps(growth: Growth) -> Value:
    x = growth.floats()
    along: dict[str, Attribute] = {"axes": (growth.axis(x),), "keepdims": True}
    if growth.rng.random() < 0.5:
        x = growth.add("Sub", [x, growth.add("ReduceMax", [x], along)])
    else:
        x = growth.bounded(x, 3.0)
    powers = growth.add("Exp", [x], magnitude=20.0)
    total = growth.add("ReduceSum", [powers], along, magnitude=200.0)
    return growth.add("Div", [powers, total], magnitude=1.0)


@motif
def _gelu_in_steps(growth: Growth) -> Value:
    x = growth.floats()
    root = growth.constant((), 2**0.5, 2**0.5)
    inner = growth.add("Erf", [growth.add("Div", [x, root])])
    factor = growth.add("Add", [inner, growth.constant((), 1.0, 1.0)], magnitude=2.0)
    product = growth.add("Mul", [x, factor], magnitude=2 * growth.of(x))
    return growth.add("Mul", [product, growth.constant((), 0.5, 0.5)], magnitude=growth.of(x))


@motif
def _hard_swish_in_steps(growth: Growth) -> Value:
    x = growth.floats()
    shifted = growth.add("Add", [x, growth.constant((), 3.0, 3.0)], magnitude=growth.of(x) + 3.0)
    clipped = growth.add("Clip", [shifted], {"min": 0.0, "max": 6.0})
    product = growth.add("Mul", [x, clipped], magnitude=6 * growth.of(x))
    return growth.add("Div", [product, growth.constant((), 6.0, 6.0)], magnitude=growth.of(x))


@motif
def _attention(growth: Growth) -> Value:
    x = growth.floats(2)
    width = x.type.shape[1]
    query, key, value = (
        growth.add("MatMul", [x, growth.constant((width, 2))], magnitude=growth.of(x) * max(1, width)) for _ in range(3)
    )
    turned = growth.add("Transpose", [key], {"perm": (1, 0)})
    scores = growth.add("MatMul", [query, turned], magnitude=growth.of(key))
    scaled = growth.add("Mul", [growth.bounded(scores, 8.0), growth.constant((), 0.7, 0.7)], magnitude=8.0)
    weights = growth.add("Softmax", [scaled], {"axis": 1}, magnitude=1.0)
    return growth.add("MatMul", [weights, value], magnitude=growth.of(value))


@motif
def _channel_shuffle(growth: Growth) -> Value:
    x = growth.any(lambda type: type.elem is ElemKind.FLOAT and type.rank == 4 and type.shape[1] % 2 == 0)
    n, c, h, w = x.type.shape
    groups = growth.add("Reshape", [x], {"shape": (n, 2, c // 2, h, w)})
    turned = growth.add("Transpose", [groups], {"perm": (0, 2, 1, 3, 4)})
    return growth.add("Reshape", [turned], {"shape": (n, c, h, w)})


@motif
def _space_to_depth(growth: Growth) -> Value:
    x = growth.any(
        lambda type: type.elem is ElemKind.FLOAT and type.rank == 4 and not type.shape[2] % 2 and not type.shape[3] % 2
    )
    n, c, h, w = x.type.shape
    blocks = growth.add("Reshape", [x], {"shape": (n, c, h // 2, 2, w // 2, 2)})
    turned = growth.add("Transpose", [blocks], {"perm": growth.rng.choice(((0, 3, 5, 1, 2, 4), (0, 1, 3, 5, 2, 4)))})
    return growth.add("Reshape", [turned], {"shape": (n, 4 * c, h // 2, w // 2)})


@motif
def _constant_sub_graph(growth: Growth) -> Value:
    """Nodes on constants only, whose result a value of the graph meets."""
    x = growth.floats()
    turned = growth.add("Transpose", [growth.constant(x.type.shape[::-1])], {"perm": tuple(range(x.type.rank))[::-1]})
    return growth.add("Add", [x, growth.add("Tanh", [turned])], magnitude=growth.of(x) + 1.0)


@motif
def _layer_normalization_of_tensorflow(growth: Growth) -> Value:
    """x * f + (beta - mean * f), f = gamma / deviation, where the deviation may be a power."""
    x = growth.any(lambda type: type.elem is ElemKind.FLOAT and type.rank >= 1 and type.shape[-1] > 1)
    last: dict[str, Attribute] = {"axes": (x.type.rank - 1,), "keepdims": True}
    mean = growth.add("ReduceMean", [x], last)
    centred = growth.add("Sub", [x, mean], magnitude=2 * growth.of(x))
    squares = growth.add("Mul", [centred, centred], magnitude=growth.of(centred) ** 2)
    variance = growth.add("Add", [growth.add("ReduceMean", [squares], last), growth.constant((), 0.1, 0.1)])
    if growth.rng.random() < 0.5:
        inverse = growth.add("Pow", [variance, growth.constant((), -0.5, -0.5)], magnitude=4.0)
    else:
        inverse = growth.add("Div", [growth.constant((), 1.0, 1.0), growth.add("Sqrt", [variance])], magnitude=4.0)
    factor = growth.add("Mul", [inverse, growth.constant(x.type.shape[-1:])], magnitude=4.0)
    moved = growth.add("Mul", [mean, factor], magnitude=4 * growth.of(x))
    rest = growth.add("Sub", [growth.constant(x.type.shape[-1:]), moved], magnitude=growth.of(moved) + 1.0)
    product = growth.add("Mul", [x, factor], magnitude=growth.of(moved))
    return growth.add("Add", [product, rest], magnitude=growth.of(moved) + growth.of(rest))


@motif
def _gate(growth: Growth) -> Value:
    x = growth.floats()
    return growth.add("Mul", [x, growth.add("Sigmoid", [x])], magnitude=growth.of(x))


@motif
def _focus(growth: Growth) -> Value:
    """Every second row, every second column of these, put together as channels."""
    x = growth.any(
        lambda type: type.elem is ElemKind.FLOAT and type.rank == 4 and not type.shape[2] % 2 and not type.shape[3] % 2
    )
    rows = [_every_second(growth, x, 2, start) for start in (0, 1)]
    order = growth.rng.choice((((0, 0), (0, 1), (1, 0), (1, 1)), ((0, 0), (1, 0), (0, 1), (1, 1))))
    return growth.add("Concat", [_every_second(growth, rows[y], 3, x) for y, x in order], {"axis": 1})


def _every_second(growth: Growth, x: Value, axis: int, start: int) -> Value:
    at = {"starts": start, "steps": 2, "shape": x.type.shape[axis] // 2}
    others = {"starts": (0,) * 4, "steps": (1,) * 4, "shape": x.type.shape}
    slices: dict[str, Attribute] = {name: (*all[:axis], at[name], *all[axis + 1 :]) for name, all in others.items()}
    return growth.add("Slice", [x], slices)
