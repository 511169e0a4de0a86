"""The texts of `-model-input`: `name` (a float of shape [1]) or `name,type,[d0,d1,…]`, strictly and without blanks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from inbundle.errors import CompileError, UnsupportedError
from inbundle.frontend.tensors import check_size
from inbundle.graph.types import ElemKind, TensorType

# Glow's names, and in the same manner those of the kinds that Glow has no name for.
TYPES = {kind.name.lower(): kind for kind in ElemKind}
QUANTIZED = ("int8q", "int16q", "int32q")
_FORM = "write -model-input=name,type,[d0,d1,...]"


@dataclass(frozen=True)
class ModelInput:
    """An input as the command line describes it."""

    name: str
    type: TensorType
    text: str


def parse_model_inputs(texts: Iterable[str], symbols: Mapping[str, int]) -> dict[str, ModelInput]:
    """All `-model-input` texts by input name; a dimension may be a symbol of `symbols`.

    Raises:
        CompileError: a text of another form, or two texts for one input.
    """
    found: dict[str, ModelInput] = {}
    for text in texts:
        parsed = parse_model_input(text, symbols)
        if parsed.name in found:
            raise CompileError(f"input '{parsed.name}' is given twice", where=(f"-model-input={text}",))
        found[parsed.name] = parsed
    return found


def parse_model_input(text: str, symbols: Mapping[str, int]) -> ModelInput:
    try:
        return _parse(text, symbols)
    except CompileError as error:
        raise error.at(f"-model-input={text}") from None


def _parse(text: str, symbols: Mapping[str, int]) -> ModelInput:
    if any(character.isspace() for character in text):
        raise CompileError("blanks are not allowed", hint=_FORM)
    name, comma, rest = text.partition(",")
    if not name:
        raise CompileError("the name is missing", hint=_FORM)
    if not comma:
        return ModelInput(name, TensorType(ElemKind.FLOAT, (1,)), text)
    type, _, shape = rest.partition(",")
    return ModelInput(name, TensorType(_elem(type), _shape(shape, symbols)), text)


def _elem(name: str) -> ElemKind:
    if name in QUANTIZED:
        raise UnsupportedError(f"the quantised type '{name}' is not supported")
    if name not in TYPES:
        raise CompileError(f"unknown type '{name}'", hint=f"types: {', '.join(TYPES)}")
    return TYPES[name]


def _shape(text: str, symbols: Mapping[str, int]) -> tuple[int, ...]:
    if not (text.startswith("[") and text.endswith("]")):
        raise CompileError(f"'{text}' is no shape in brackets" if text else "the shape is missing", hint=_FORM)
    inner = text[1:-1]
    shape = tuple(_dimension(field, symbols) for field in inner.split(",")) if inner else ()
    check_size(shape, ElemKind.FLOAT, "the input")
    return shape


def _dimension(text: str, symbols: Mapping[str, int]) -> int:
    if text in symbols:
        return symbols[text]
    if text.isascii() and text.isdigit():
        return int(text)
    known = f"; defined symbols: {', '.join(sorted(symbols))}" if symbols else ""
    raise CompileError(f"the dimension '{text}' is neither a number nor a defined symbol{known}", hint=_FORM)
