"""Net images: what they say is the net, slots are used again, sections are small."""

from __future__ import annotations

import numpy as np
import pytest
from image_decoder import Decoded, Decoder
from random_programs import random_program
from scripts import NEURON, TILE

from inbundle.nets.image import encode
from inbundle.nets.parser import parse
from inbundle.nets.program import Program


def decode(program: Program, *, section_cells: int = 65536) -> Decoded:
    return Decoder(program, encode(program, section_cells=section_cells).data).decode()


@pytest.mark.parametrize("dialect", ["int", "float"])
@pytest.mark.parametrize("seed", range(30))
def test_the_image_says_what_the_net_says(seed: int, dialect: str) -> None:
    program = random_program(seed, dialect)
    decoded = decode(program, section_cells=seed + 1)
    assert [word for words in decoded.connections for word in words] == program.net.code.tolist()
    number = {name: wire for wire, name in program.net.names.items()}
    first = len(program.inputs)
    assert decoded.open_slots == {first + slot: number[name] for slot, name in enumerate(program.outputs)}


def test_private_slots_are_used_again() -> None:
    chain = "".join(f"w{i} ~ Relu(w{i + 1});" for i in range(100))
    program = parse(f"Relu(r) >< C(float k) => r ~ C(k); {chain} w0 ~ C(1.5); w100 ~ Relu(y); y;", "chain")
    image = encode(program)
    assert image.slots == 1 + 2
    assert image.connections == 102
    assert image.cells == 102 + 102


@pytest.mark.parametrize(("section_cells", "sections"), [(1, 5), (8, 2), (1000, 1)])
def test_sections_end_with_the_statement_that_fills_them(section_cells: int, sections: int) -> None:
    program = parse("a ~ A(b); b ~ A(c); c ~ A(d), d ~ A(e); e ~ A(f); f ~ A(y), A(Eraser) ~ Eraser; y;", "sections")
    image = encode(program, section_cells=section_cells)
    decoded = decode(program, section_cells=section_cells)
    assert image.sections == sections
    assert len(decoded.section_starts) == sections - 1


def test_peaks_count_cells_by_size() -> None:
    program = parse("x ~ Big(a, b, c); a ~ B, b ~ B; c ~ Big(B, Bigger(p, B, B, B), B); x p;", "peaks")
    whole = encode(program)
    assert whole.peaks == {2: 4 + 2 + 6, 3: 2, 4: 1}
    assert whole.cells == 15
    program.net.live = np.array([0, 3, 7])
    assert encode(program, section_cells=1).peaks == {2: 3 + 6, 3: 1 + 1, 4: 1}


def test_inputs_count_from_the_start() -> None:
    program = parse("A(r) >< C(float k) => r ~ C(k); x ~ A(y); z ~ A(v); y v;", "inputs")
    assert program.inputs == ("x", "z")
    assert encode(program).peaks[2] == 4 + 6


def test_an_empty_net() -> None:
    program = parse("", "empty")
    assert encode(program).sections == 0
    assert decode(program).connections == []


def test_equal_programs_have_equal_images() -> None:
    for script in (NEURON, TILE):
        assert encode(parse(script, "a")).data == encode(parse(script, "b")).data


@pytest.mark.parametrize("value", [0, 1, -1, 63, 64, -64, -65, 2**62, -(2**63), 2**63 - 1])
def test_ints_of_any_size(value: int) -> None:
    program = parse(f"A(int i) >< B => ; A({value}) ~ B;", "ints")
    assert decode(program).connections[0][2] == value
