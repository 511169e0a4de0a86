"""Every operator and every instruction kind has its tests; a failure names the file to edit.

Tests of the element-wise families go through the tables of kinds by themselves; the other families' tests name theirs.
"""

from __future__ import annotations

import functools
from pathlib import Path

import pytest

import elementwise_kinds
import ir_interpreter
from inbundle.frontend.importers import registry
from inbundle.graph.ops import OPS
from inbundle.graph.ops.meta import META
from inbundle.ir.instructions import INSTRUCTIONS
from inbundle.nets import neuron as neuron  # enters the translators
from inbundle.nets.neuron.translation import TRANSLATORS

TESTS = Path(__file__).resolve().parent
OTHERS = sorted(INSTRUCTIONS.keys() - {*elementwise_kinds.UNARY, *elementwise_kinds.BINARY})
# Outputs are written by copies, in every test of a net.
TRANSLATED = sorted(TRANSLATORS.keys() & set(OTHERS) - {"copy"})
# The importers of the unary operators are tested as one.
NAMED = [operator for operator in registry.operators() if operator.lower() not in elementwise_kinds.UNARY]


@functools.cache
def text(pattern: str) -> str:
    """The text of the test files that fit the pattern."""
    return "\n".join(file.read_text(encoding="utf-8") for file in sorted(TESTS.glob(pattern)))


def test_every_kind_is_interpreted() -> None:
    missing = sorted(INSTRUCTIONS.keys() - ir_interpreter.KINDS.keys())
    assert not missing, f"say in tests/ir_kinds_*.py what {missing} computes"


def test_every_kind_of_node_is_imported() -> None:
    missing = sorted(OPS.keys() - {META} - set(registry.operators()))
    assert not missing, f"no importer in frontend/importers/ has the name of {missing}"


@pytest.mark.parametrize("kind", OTHERS)
def test_its_kernel_is_tested(kind: str) -> None:
    file = f"kernels/test_kernels_{INSTRUCTIONS[kind].family}.py"
    assert f'"{kind}"' in text(file), f"test the kernel of {kind} in tests/{file}"


@pytest.mark.parametrize("kind", TRANSLATED)
def test_its_neuron_translation_is_tested(kind: str) -> None:
    assert f'"{kind}"' in text("nets/test_nets_neuron_*.py"), f"test the agents of {kind} in tests/nets/"


@pytest.mark.parametrize("operator", NAMED)
def test_its_importers_are_tested(operator: str) -> None:
    assert f'"{operator}"' in text("frontend/*.py"), f"test the importers of {operator} in tests/frontend/"
