"""Importers of what is known at compile time: Constant, ConstantOfShape, Shape, Size."""

from __future__ import annotations

import math

import numpy as np

from inbundle.errors import CompileError
from inbundle.frontend.importers.registry import importer
from inbundle.frontend.node_context import NodeContext
from inbundle.frontend.sparse import dense_array
from inbundle.frontend.tensors import array_of, check_size
from inbundle.graph.graph import Value
from inbundle.graph.types import ElemKind

# A filled tensor that large would travel in every bundle; it comes from a wrong shape rather than from a trained model.
MAX_FILLED_BYTES = 64 * 2**20


@importer("Constant", since=1)
def constant(ctx: NodeContext) -> Value:
    given = [attribute.name for attribute in ctx.node.attribute]
    if len(given) != 1:
        raise ctx.error(f"needs exactly one value attribute, not {len(given)} ({', '.join(given)})")
    return ctx.new_constant(_constant_data(ctx, given[0]))


def _constant_data(ctx: NodeContext, attribute: str) -> np.ndarray:
    match attribute:
        case "value":
            return tensor_data(ctx, "value")
        case "sparse_value":
            return _sparse_data(ctx, attribute)
        case "value_float":
            return np.asarray(ctx.attr_float(attribute), np.float32)
        case "value_floats":
            return np.asarray(ctx.attr_floats(attribute), np.float32)
        case "value_int":
            return np.asarray(ctx.attr_int(attribute), np.int64)
        case "value_ints":
            return np.asarray(ctx.attr_ints(attribute), np.int64)
    raise ctx.unsupported("string constants are not supported", attribute=attribute)


def _sparse_data(ctx: NodeContext, attribute: str) -> np.ndarray:
    tensor = ctx.attr_sparse_tensor(attribute)
    try:
        return dense_array(tensor, ctx.base_dir, MAX_FILLED_BYTES)
    except CompileError as error:
        raise error.at(*ctx.place(attribute)) from None


def tensor_data(ctx: NodeContext, attribute: str) -> np.ndarray:
    """The array of a tensor attribute."""
    return array_of(ctx.attr_tensor(attribute), ctx.base_dir, f"attribute '{attribute}'")


@importer("ConstantOfShape", since=9)
def constant_of_shape(ctx: NodeContext) -> Value:
    shape = ctx.constant_ints(0, "shape")
    fill = tensor_data(ctx, "value") if ctx.has_attribute("value") else np.zeros(1, np.float32)
    if fill.size != 1:
        raise ctx.error(f"the fill value has {fill.size} elements instead of one", attribute="value")
    check_size(shape, ElemKind.of(fill.dtype), "the result")
    if math.prod(shape) * fill.itemsize > MAX_FILLED_BYTES:
        raise ctx.unsupported(f"a constant of shape {list(shape)} is larger than {MAX_FILLED_BYTES >> 20} MiB")
    return ctx.new_constant(np.full(shape, fill.reshape(()), fill.dtype))


@importer("Shape", since=1)
def shape(ctx: NodeContext) -> Value:
    dims = ctx.input(0).type.shape
    start, end = ctx.attr_int("start", 0), ctx.attr_int("end", len(dims))
    return ctx.new_constant(np.asarray(dims[_clamped(start, len(dims)) : _clamped(end, len(dims))], np.int64))


def _clamped(index: int, rank: int) -> int:
    """`index`, counted from the end if negative, in [0, rank]."""
    return min(max(index + rank if index < 0 else index, 0), rank)


@importer("Size", since=1)
def size(ctx: NodeContext) -> Value:
    return ctx.new_constant(np.asarray(ctx.input(0).type.elements, np.int64))
