"""Random valid graphs over all kinds of nodes, and over the chains of nodes that exporters write and passes look for.

The generator draws from a `random.Random`: a seeded one (`random_graph`), or Hypothesis's (`graphs`), which can then
make a failing graph smaller.
"""

from __future__ import annotations

import random

import numpy as np
from hypothesis import strategies as st

from graph_growth import Growth, Maker, Unfit
from graph_makers import MAKERS
from graph_motifs import MOTIFS
from inbundle.graph.graph import Graph

SHAPES = ((2, 3), (1, 4), (2, 4, 3), (1, 2, 4, 4), (2, 4, 5, 4), (1, 2, 3, 4, 3), (3,))


def random_graph(seed: int, nodes: int = 12) -> Graph:
    """A graph of at least so many nodes, where their makers find operands; equal seeds give equal graphs."""
    return _grown(random.Random(seed), nodes)


def _grown(rng: random.Random, steps: int) -> Graph:
    """Two inputs, `steps` nodes or chains, two or three outputs that may show anything."""
    growth = Growth(rng)
    for shape in rng.sample(SHAPES, 2):
        growth.input(shape)
    makers = [*MAKERS.values(), *MOTIFS]
    for _ in range(steps):
        grow(growth, rng.choice(makers))
    shown = [*rng.choices(growth.values, k=rng.randint(1, 2)), growth.values[-1]]
    growth.graph.outputs = {f"y{index}": value for index, value in enumerate(shown)}
    return growth.graph


def grow(growth: Growth, make: Maker) -> bool:
    """Whether the maker found operands; what it added before it did not is left, for DCE to delete."""
    try:
        make(growth)
    except Unfit:
        return False
    return True


def graphs(nodes: int = 8) -> st.SearchStrategy[Graph]:
    """Random graphs that Hypothesis can make smaller."""
    return st.randoms(use_true_random=False).map(lambda rng: _grown(rng, nodes))


def random_inputs(graph: Graph, seed: int) -> dict[str, np.ndarray]:
    """Numbers from -1 to 1 for every input."""
    rng = np.random.default_rng(seed)
    return {value.name: rng.uniform(-1, 1, value.type.shape).astype(value.type.elem.dtype) for value in graph.inputs}
