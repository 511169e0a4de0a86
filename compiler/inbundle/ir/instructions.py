"""The table of IR instruction kinds: operands with their roles, attributes, meaning.

Kinds are lower case without separators, as Glow prints them. Tensors are row-major; convolutions and pools are
N x C x spatial (1 to 3 spatial dimensions). Attribute names are printed in the braces of the textual form. Shapes come
from the operands' types, so no attribute repeats them.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from inbundle.ir.function import Role

# Families of kinds that compute element i of Dest from elements i of their operands.
ELEMENTWISE = ("activation", "elementwise", "logic")


class Broadcast(enum.Enum):
    """Along which one axis of the result an operand of an epilogue may differ: the kernel of the kind knows the index
    along that axis where it stores an element. Operands as large as the result, and of one element, always go."""

    ANY = "any"
    CHANNEL = "channel"
    COLUMN = "column"
    NONE = "none"


@dataclass(frozen=True)
class OperandSpec:
    name: str
    role: Role
    optional: bool = False


@dataclass(frozen=True)
class InstructionSpec:
    """A kind. `inplace`: operands whose buffer Dest may take over when types agree (element i of Dest then depends
    only on element i of that operand). `epilogue`: the kernel can pass what it stores through element-wise steps first,
    whose operands may broadcast so; None where it cannot. `family` names the module in lowering/, kernels/ and
    nets/neuron/."""

    kind: str
    family: str
    operands: tuple[OperandSpec, ...]
    attributes: tuple[str, ...]
    meaning: str
    inplace: tuple[str, ...] = ()
    epilogue: Broadcast | None = None

    @property
    def elementwise(self) -> bool:
        """Element i of Dest depends only on elements i of the operands, which may broadcast."""
        return self.family in ELEMENTWISE

    @property
    def moves(self) -> bool:
        """Every element of Dest is an element of Src, at an index that is linear in its own."""
        return self.epilogue is Broadcast.ANY and not self.elementwise


INSTRUCTIONS: dict[str, InstructionSpec] = {}

# Element-wise kinds that vector kernels compute, of floats; see `kernels/vector/formulas.py`.
IN_VECTORS = frozenset(
    (
        "abs",
        "add",
        "clip",
        "div",
        "elu",
        "erf",
        "exp",
        "gelu",
        "hardsigmoid",
        "hardswish",
        "leakyrelu",
        "log",
        "max",
        "min",
        "mul",
        "neg",
        "prelu",
        "relu",
        "sigmoid",
        "sub",
        "tanh",
    )
)


# Kernels of the element-wise kinds and of some that move elements loop over the elements of Dest, and know all indices.
_EPILOGUES: dict[str, Broadcast] = {
    "convolution": Broadcast.CHANNEL,
    "maxpool": Broadcast.CHANNEL,
    "avgpool": Broadcast.CHANNEL,
    "batchnormalization": Broadcast.CHANNEL,
    "fullyconnected": Broadcast.COLUMN,
    "matmul": Broadcast.COLUMN,
    "packedproduct": Broadcast.COLUMN,
    "nhwcconvolution": Broadcast.COLUMN,
    "nhwcgrouped": Broadcast.COLUMN,
    "planarconvolution": Broadcast.COLUMN,
    "nhwcwinograd": Broadcast.COLUMN,
    "nhwcdepthwise": Broadcast.COLUMN,
    "nhwcmaxpool": Broadcast.COLUMN,
    "nhwcavgpool": Broadcast.COLUMN,
    "layernormalization": Broadcast.NONE,
    "reducesum": Broadcast.NONE,
    "reducemean": Broadcast.NONE,
    "reducemax": Broadcast.NONE,
    "reducemin": Broadcast.NONE,
    "reduceprod": Broadcast.NONE,
    "broadcast": Broadcast.ANY,
    "transpose": Broadcast.ANY,
    "extracttensor": Broadcast.ANY,
}


def declare(kind: str, family: str, operands: str, attributes: str, meaning: str, inplace: str = "") -> None:
    """Enter a kind into the table. `operands`: `out:Dest in:Src in:Bias?`, in order; `attributes`, `inplace`: names."""
    roles = {"out": Role.OUT, "in": Role.IN, "inout": Role.INOUT}
    specs = []
    for word in operands.split():
        role, name = word.split(":")
        specs.append(OperandSpec(name.rstrip("?"), roles[role], name.endswith("?")))
    epilogue = Broadcast.ANY if family in ELEMENTWISE else _EPILOGUES.get(kind)
    INSTRUCTIONS[kind] = InstructionSpec(
        kind, family, tuple(specs), tuple(attributes.split()), meaning, tuple(inplace.split()), epilogue
    )


declare(
    "convolution",
    "conv",
    "out:Dest in:Src in:Filter in:Bias?",
    "Kernels Strides Pads Dilations Group",
    "Filter is M x C/Group x kernel; Pads are ONNX's (all begins, then all ends)",
)
declare(
    "nhwcconvolution",
    "vector",
    "out:Dest in:Src in:Filter in:Bias",
    "Kernels Strides Pads Dilations",
    "Src and Dest are N x H x W x C; Filter and Bias are packed in panels, see ir/panels.py",
)
declare(
    "nhwcgrouped",
    "vector",
    "out:Dest in:Src in:Filter in:Bias",
    "Kernels Strides Pads Dilations Group",
    "nhwcconvolution in groups of channels; Filter and Bias are packed per group",
)
declare(
    "planarconvolution",
    "vector",
    "out:Dest in:Src in:Filter in:Bias",
    "Kernels Strides Pads Dilations",
    "nhwcconvolution of an N x C x H x W image of few channels; Filter keeps that order in its panels",
)
declare(
    "nhwcwinograd",
    "vector",
    "out:Dest in:Src in:Filter in:Bias out:Scratch?",
    "Kernels Strides Pads Dilations",
    "nhwcconvolution with transformed filters, see ir/winograd.py",
)
declare(
    "nhwcdepthwise",
    "vector",
    "out:Dest in:Src in:Filter in:Bias",
    "Kernels Strides Pads Dilations",
    "each channel by its own filter; Src and Dest are N x H x W x C, Filter is kernel x C",
)
declare(
    "maxpool",
    "pool",
    "out:Dest in:Src out:Argmax?",
    "Kernels Strides Pads Dilations StorageOrder",
    "largest element of each window, padding never wins; Argmax: ONNX's Indices (index64)",
)
declare(
    "avgpool",
    "pool",
    "out:Dest in:Src",
    "Kernels Strides Pads Dilations CountIncludePads",
    "mean of each window; the divisor counts taps inside the image, or inside image and Pads (never beyond)",
)
declare("nhwcmaxpool", "vector", "out:Dest in:Src", "Kernels Strides Pads Dilations", "maxpool of N x H x W x C")
declare(
    "nhwcavgpool",
    "vector",
    "out:Dest in:Src",
    "Kernels Strides Pads Dilations CountIncludePads",
    "avgpool of N x H x W x C",
)
declare(
    "fullyconnected",
    "linear",
    "out:Dest in:Src in:Weights in:Bias?",
    "Alpha Beta TransA TransB",
    "ONNX Gemm: Alpha * A * B + Beta * C; Bias broadcasts to Dest; Alpha and Beta rounded to float",
)
declare(
    "packedproduct",
    "vector",
    "out:Dest in:Src in:Weights in:Bias",
    "",
    "Src * W + B of matrices; Weights and Bias are packed in panels of columns, see ir/panels.py",
)
declare("matmul", "linear", "out:Dest in:LHS in:RHS", "", "N-D matrix product, rank >= 2, leading dimensions broadcast")
for _kind, _meaning in {
    "add": "l + r",
    "sub": "l - r",
    "mul": "l * r",
    "div": "l / r; integers truncate",
    "pow": "l to the power r, in Dest's element kind (RHS may have another)",
    "min": "smaller of both, NaN wins",
    "max": "larger of both, NaN wins",
    "prelu": "l >= 0 ? l : l * r",
    "fmod": "remainder of l / r towards zero, with the sign of l",
    "mod": "remainder of l / r towards -inf, with the sign of r",
}.items():
    declare(_kind, "elementwise", "out:Dest in:LHS in:RHS", "", f"{_meaning}; operands broadcast to Dest", "LHS RHS")
for _kind, _meaning in {"equal": "l == r", "less": "l < r", "lessorequal": "l <= r"}.items():
    declare(_kind, "logic", "out:Dest in:LHS in:RHS", "", f"{_meaning}, a bool; operands broadcast to Dest")
for _kind in ("and", "or", "xor"):
    declare(_kind, "logic", "out:Dest in:LHS in:RHS", "", "of the bits; operands broadcast to Dest", "LHS RHS")
declare("not", "logic", "out:Dest in:Src", "", "the other value of each bit; a bool has one", "Src")
declare("bitshift", "logic", "out:Dest in:LHS in:RHS", "Left", "l << r or l >> r; r < 0 is beyond all bits", "LHS RHS")
declare("isnan", "logic", "out:Dest in:Src", "", "x != x, a bool")
declare("isinf", "logic", "out:Dest in:Src", "Negative Positive", "whether x is -inf, if Negative, or inf, if Positive")
declare("select", "logic", "out:Dest in:Cond in:LHS in:RHS", "", "Cond ? l : r; operands broadcast to Dest", "LHS RHS")
for _kind, _attributes, _meaning in (
    ("abs", "", "|x|"),
    ("neg", "", "-x"),
    ("exp", "", "e^x"),
    ("log", "", "natural logarithm"),
    ("sqrt", "", "square root"),
    ("erf", "", "error function"),
    ("tanh", "", "hyperbolic tangent"),
    ("sigmoid", "", "1 / (1 + e^-x)"),
    ("softplus", "", "log(1 + e^x)"),
    ("sinh", "", "hyperbolic sine"),
    ("cosh", "", "hyperbolic cosine"),
    ("asinh", "", "inverse of sinh"),
    ("acosh", "", "inverse of cosh, not below 0"),
    ("atanh", "", "inverse of tanh"),
    ("sin", "", "sine of radians"),
    ("cos", "", "cosine of radians"),
    ("asin", "", "inverse of sin, from -pi / 2 to pi / 2"),
    ("acos", "", "inverse of cos, from 0 to pi"),
    ("atan", "", "inverse of sin / cos, from -pi / 2 to pi / 2"),
    ("floor", "", "largest integer <= x"),
    ("ceil", "", "smallest integer >= x"),
    ("round", "", "nearest integer, ties to even"),
    ("sign", "", "x < 0 ? -1 : x > 0 ? 1 : x"),
    ("relu", "", "max(x, 0)"),
    ("leakyrelu", "Alpha", "x < 0 ? Alpha * x : x"),
    ("elu", "Alpha", "x < 0 ? Alpha * (e^x - 1) : x"),
    ("hardsigmoid", "Alpha Beta", "max(0, min(1, Alpha * x + Beta))"),
    ("hardswish", "", "x * max(0, min(1, x / 6 + 1 / 2))"),
    ("gelu", "Approximate", "x * Phi(x); Approximate: none or tanh"),
    ("clip", "Min Max", "min(Max, max(x, Min)); Min <= Max not required, Max wins"),
):
    declare(_kind, "activation", "out:Dest in:Src", _attributes, _meaning, "Src")
declare(
    "convertto", "elementwise", "out:Dest in:Src", "", "ONNX Cast to Dest's element kind; floats truncate to integers"
)
declare("softmax", "normalization", "out:Dest in:Src", "Axis", "along one axis, maximum subtracted", "Src")
declare("logsoftmax", "normalization", "out:Dest in:Src", "Axis", "logarithm of softmax along one axis", "Src")
declare(
    "batchnormalization",
    "normalization",
    "out:Dest in:Src in:Scale in:Bias in:Mean in:Var",
    "Epsilon",
    "(x - Mean) / sqrt(Var + Epsilon) * Scale + Bias, per channel (dimension 1)",
    "Src",
)
declare(
    "layernormalization",
    "normalization",
    "out:Dest in:Src in:Scale in:Bias?",
    "Axis Epsilon",
    "(x - mean) / sqrt(variance + Epsilon) * Scale + Bias, statistics over the dimensions from Axis on, of each row of "
    "them; Scale and Bias broadcast to Dest",
    "Src",
)
declare("copy", "shape", "out:Dest in:Src", "", "same bytes; shapes may differ, element counts agree")
declare("splat", "shape", "out:Dest", "Value", "every element is Value")
declare("broadcast", "shape", "out:Dest in:Src", "", "Src broadcast to Dest's shape (ONNX Expand)")
declare("transpose", "shape", "out:Dest in:Src", "Shuffle", "Dest dimension i is Src dimension Shuffle[i]")
declare(
    "inserttensor",
    "shape",
    "inout:Dest in:Src",
    "Offsets",
    "Src into the part of Dest that starts at Offsets (Concat: together the inserts write all of Dest)",
)
declare(
    "extracttensor",
    "shape",
    "out:Dest in:Src",
    "Offsets Steps",
    "Dest[i...] = Src[Offsets + i * Steps]; Steps may be negative (Slice, Split)",
)
declare(
    "pad",
    "shape",
    "out:Dest in:Src",
    "Pads Mode Value",
    "Pads per dimension, begins then ends, negative ones crop; Mode: constant, reflect, edge, wrap",
)
declare("gather", "shape", "out:Dest in:Src in:Indices", "Axis", "ONNX Gather; negative indices count from the end")
declare(
    "scatter",
    "shape",
    "out:Dest in:Src in:Indices in:Updates",
    "Reduction",
    "Src with its rows at Indices replaced by, or joined with, Updates in order; Reduction: none, add, mul, max, min",
    "Src",
)
for _kind in ("reducesum", "reducemean", "reducemax", "reducemin", "reduceprod"):
    declare(_kind, "reduction", "out:Dest in:Src", "Axes", f"{_kind[6:]} over Axes (sorted, non-negative)")
for _kind, _which in (("argmax", "largest"), ("argmin", "smallest")):
    declare(
        _kind, "reduction", "out:Dest in:Src", "Axis SelectLastIndex", f"index64 of the {_which} element along Axis"
    )
declare(
    "cumsum",
    "reduction",
    "out:Dest in:Src",
    "Axis Exclusive Reverse",
    "sum along Axis up to each element, or before it if Exclusive; from the end if Reverse",
    "Src",
)
declare(
    "topk",
    "reduction",
    "out:Dest in:Src out:Indices",
    "Axis Largest",
    "the largest (or smallest) elements along Axis in order, and their index64; as many as Dest has there",
)
