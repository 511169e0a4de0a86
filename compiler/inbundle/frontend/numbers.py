"""Single numbers as constants, for importers that say an operator by others."""

from __future__ import annotations

import numpy as np

from inbundle.frontend.node_context import NodeContext
from inbundle.graph.graph import Value


def number(ctx: NodeContext, value: float, like: Value, part: str) -> Value:
    """`value` as a scalar of the element kind of `like`; `part` names it, see `NodeContext.new_constant`."""
    return ctx.new_constant(np.array(value).astype(like.type.elem.dtype), part)
