"""The table of node kinds, one module per operator family."""

from inbundle.graph.ops.spec import OPS, REQUIRED, OpSpec, declare

# The families enter their kinds into OPS when they are imported.
from inbundle.graph.ops import (  # isort: skip
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

__all__ = ["OPS", "REQUIRED", "OpSpec", "declare"]
