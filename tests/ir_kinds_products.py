"""What the interpreter computes for matrix products."""

from __future__ import annotations

import numpy as np

from ir_kinds_windows import unpacked
from ir_memory import Operands, kind


@kind("packedproduct")
def _packedproduct(o: Operands) -> np.ndarray:
    columns = o.type("Dest").shape[1]
    return o["Src"] @ unpacked(o["Weights"], columns) + o["Bias"][:columns]


@kind("fullyconnected")
def _fullyconnected(o: Operands) -> np.ndarray:
    a, b, bias = o["Src"], o["Weights"], o.get("Bias")
    product = (a.T if o.TransA else a) @ (b.T if o.TransB else b)
    if product.dtype.kind == "f":
        product = product * np.float64(np.float32(o.Alpha))
        return product if bias is None else product + np.float64(np.float32(o.Beta)) * bias
    product = scaled(product, o.Alpha)
    return product if bias is None else product + scaled(bias, o.Beta)


def scaled(integers: np.ndarray, factor: float) -> np.ndarray:
    return integers if factor == 1.0 else (integers * np.float32(factor)).astype(integers.dtype)


@kind("matmul")
def _matmul(o: Operands) -> np.ndarray:
    return o["LHS"] @ o["RHS"]
