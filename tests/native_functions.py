"""What the native functions of numbers compute, in NumPy: taken from the neuron operations that call them."""

from __future__ import annotations

import numpy as np

from inbundle.nets.natives import OF_NUMBERS
from inbundle.nets.neuron import transcendental
from inbundle.nets.neuron.operation import Evaluate, Operation

_OPERATIONS = [value for value in vars(transcendental).values() if isinstance(value, Operation)]

IN_NUMPY: dict[str, Evaluate] = {name: of.evaluate for of in _OPERATIONS for name in of.natives}
"""Name -> function of float32 arrays."""

assert IN_NUMPY.keys() == OF_NUMBERS.keys(), (
    "nets/natives.py and the operations of nets/neuron/transcendental.py differ in "
    f"{sorted(IN_NUMPY.keys() ^ OF_NUMBERS.keys())}"
)


def on_numbers(name: str, *numbers: float) -> float:
    """One call of a native function."""
    with np.errstate(all="ignore"):
        return float(IN_NUMPY[name](*(np.array([number], np.float32) for number in numbers))[0])
