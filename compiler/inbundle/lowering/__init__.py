"""Lowering: Graph -> Function, one module per operator family. It knows node kinds and IR kinds, not ONNX, not C."""

from inbundle.lowering.context import LOWERINGS
from inbundle.lowering.model import lower

# The families enter their lowerings into LOWERINGS when they are imported.
from inbundle.lowering import (  # isort: skip
    activation as activation,
    conv as conv,
    elementwise as elementwise,
    linear as linear,
    logic as logic,
    meta as meta,
    normalization as normalization,
    pool as pool,
    reduction as reduction,
    shape as shape,
)

__all__ = ["LOWERINGS", "lower"]
