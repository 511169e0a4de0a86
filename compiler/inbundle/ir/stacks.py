"""Stacked instructions: several steps as one instruction, and so as one loop of one kernel.

The steps are element-wise. The first one may be of another kind, such as a convolution: the others are then what each
of its elements passes before it is stored. Where the first one needs no loops of its own (it is element-wise, or moves
elements), further steps may read memory at moved indices, and the last one may insert what is computed into a larger
tensor. What a step hands to a later one is a `Register`, or a view of it in another shape; all steps compute the same
number of elements, and element i of each depends only on elements i before it. A convolution may have a pool among its
steps, behind which this holds again for the pooled image (`ir/pooling.py`).

    %conv = convolution @out %conv_res, @in %x, @in %filters      1 step: what the kind computes, into a register
    %add = add @out %add_res, @in %conv_res, @in %skip            the epilogue, of two steps
    %relu = relu @out %y, @in %add_res                            the last one stores
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from inbundle.graph.types import ElemKind, TensorType
from inbundle.ir.function import AllocActivation, Instruction, IRValue, Operand, Register, Role, storage
from inbundle.ir.instructions import IN_VECTORS, INSTRUCTIONS, Broadcast
from inbundle.ir.pooling import MOST_FLOATS, can_pool, parts
from inbundle.ir.vector_work import has_whole_panels

INSERT = "inserttensor"
# A stack of more steps would be one enormous function for the C compiler.
MOST_STEPS = 32


def is_loop(instruction: Instruction) -> bool:
    """Whether the kernel does nothing but loop over elements: it is element-wise or moves elements."""
    return INSTRUCTIONS[instruction.kind].epilogue is Broadcast.ANY


def is_register(value: IRValue) -> bool:
    """Whether a value, or what it is a view of, is a register."""
    return isinstance(storage(value)[0], Register)


def steps(instruction: Instruction) -> list[Instruction]:
    """The steps of an instruction, itself alone where it is not stacked; their operands are its own."""
    if instruction.result is None:
        return [instruction]
    own = {operand.name for operand in INSTRUCTIONS[instruction.kind].operands} - {"Dest"}
    operands = {name: operand for name, operand in instruction.operands.items() if name in own}
    operands = {"Dest": Operand(Role.OUT, instruction.result), **operands}
    head = Instruction(instruction.kind, instruction.name, operands, instruction.attributes, instruction.origin)
    return [head, *instruction.epilogue]


def stacked(sequence: Sequence[Instruction]) -> Instruction:
    """The instruction of these steps, of which all but the last write registers. It has the first one's name."""
    head, *epilogue = sequence
    if not epilogue:
        return head
    result = head["Dest"]
    assert isinstance(result, Register)
    operands = {**head.operands, "Dest": epilogue[-1].operands["Dest"]}
    known = elementwise_operands(head)
    for step in epilogue:
        is_elementwise = INSTRUCTIONS[step.kind].elementwise
        for name, operand in step.operands.items():
            if operand.role is Role.IN and not is_register(operand.value):
                same = next((other for other in known if is_elementwise and other.value is operand.value), operand)
                step.operands[name] = same
                if same is operand:
                    known += [operand] if is_elementwise else []
                    operands[f"Operand{len(operands) - len(head.operands) + 1}"] = operand
    return Instruction(head.kind, head.name, operands, head.attributes, head.origin, result, epilogue)


def elementwise_operands(instruction: Instruction) -> list[Operand]:
    """What an instruction reads from memory element by element, each operand once."""
    found: list[Operand] = []
    for step in steps(instruction):
        if INSTRUCTIONS[step.kind].elementwise:
            reads = (operand for operand in step.operands.values() if operand.role is Role.IN)
            found += [operand for operand in reads if operand not in found and not is_register(operand.value)]
    return found


def operands_to_take(instruction: Instruction) -> list[Operand]:
    """The operands whose buffer Dest may take over, if the instruction is the last one to use that buffer: element i of
    Dest, when it is stored, is the only one that still depends on element i of the buffer."""
    inplace = _inplace_operands(instruction)
    apart = {storage(o.value)[0] for o in instruction.operands.values() if o.role.reads and o not in inplace}
    result = instruction["Dest"].type
    return [o for o in inplace if _fits(o.value, result) and storage(o.value)[0] not in apart]


def _inplace_operands(instruction: Instruction) -> list[Operand]:
    """What the instruction reads element by element before it stores the element in that place."""
    spec = INSTRUCTIONS[instruction.kind]
    own = [instruction.operands[name] for name in spec.inplace]
    further = [operand for operand in elementwise_operands(instruction) if operand not in own]
    return own + further if _stores_once(instruction) else own


def _stores_once(instruction: Instruction) -> bool:
    """Whether the kernel writes an element of Dest only after it has read the elements of an epilogue's operands in
    that place, and does not come back."""
    family = INSTRUCTIONS[instruction.kind].family
    if family in ("conv", "linear"):
        return _has_short_rows(instruction)
    if family != "vector":
        return True
    if len(parts(instruction)) > 1:
        return False
    # Of these, the last vector of a pixel's channels may overlap the one before it.
    overlaps = instruction.kind in ("nhwcwinograd", "nhwcdepthwise", "nhwcmaxpool", "nhwcavgpool")
    return not overlaps or has_whole_panels(instruction)


def _has_short_rows(instruction: Instruction) -> bool:
    """Whether a kernel that sums up a row of its result can do so on the C stack."""
    return instruction.computed.type.shape[-1] <= MOST_FLOATS


def sums_elsewhere(instruction: Instruction) -> bool:
    """Whether a kernel that sums up rows in Dest has to do so on the C stack, as its epilogue reads what lies there."""
    dest, _ = storage(instruction["Dest"])
    read = (storage(operand.value)[0] for operand in elementwise_operands(instruction))
    return dest in read and _has_short_rows(instruction)


def _fits(value: IRValue, result: TensorType) -> bool:
    """Whether a value is all of its buffer and as large as the result, element by element."""
    base, type = storage(value)[0], value.type
    is_alike = type.elem is result.elem and type.elements == result.elements
    return isinstance(base, AllocActivation) and is_alike and type.bytes == base.type.bytes


def loop_shape(instruction: Instruction) -> tuple[int, ...] | None:
    """The shape over which the kernel loops where an index along one dimension matters: that of the steps with operands
    that repeat, that move elements, or that are not element-wise. One flat dimension where there is no such step, None
    where they differ.
    """
    shapes = set()
    for step in steps(instruction):
        type = step_type(step)
        is_flat = INSTRUCTIONS[step.kind].elementwise
        if not is_flat or any(repeats(value.type, type) for value in step.reads()):
            shapes.add(type.shape)
    if len(shapes) > 1:
        return None
    return shapes.pop() if shapes else (instruction.computed.type.elements,)


def step_type(step: Instruction) -> TensorType:
    """The type of what a step computes; an insertion passes on what it inserts."""
    return step["Src" if step.kind == INSERT else "Dest"].type


def inserts(instruction: Instruction) -> Instruction | None:
    """The step that writes only a part of Dest, if the last one does."""
    last = instruction.epilogue[-1] if instruction.epilogue else instruction
    return last if last.kind == INSERT else None


def repeats(operand: TensorType, result: TensorType) -> bool:
    """Whether an operand of an element-wise step is neither of one element nor as large as the result."""
    return operand.elements not in (1, result.elements)


def may_read(head: Instruction, operand: TensorType, result: TensorType) -> bool:
    """Whether the kernel of `head` can index an operand of a step that computes `result`.

    Args:
        head: the stacked instruction or its first step.
    """
    broadcast = INSTRUCTIONS[head.kind].epilogue
    if broadcast is Broadcast.ANY or not repeats(operand, result):
        return True
    axis = {Broadcast.CHANNEL: 1, Broadcast.COLUMN: result.rank - 1}.get(broadcast or Broadcast.NONE)
    aligned = (1,) * (result.rank - operand.rank) + operand.shape
    return all(size == 1 or index == axis for index, size in enumerate(aligned))


def broken_rule(instruction: Instruction) -> str | None:
    """The rule of stacked instructions that this one breaks, or None. What single steps must keep is not looked at."""
    first, *pools = parts(instruction)
    if any(not can_pool(first, pool) for pool in pools):
        return f"the kernel of {first.kind} cannot pool by {pools[0].name}"
    further = (_broken_in_part(pool, [pool.operands["Src"]]) for pool in pools)
    return _broken_in_part(first) or next(further, None)


def _broken_in_part(instruction: Instruction, passed: Collection[Operand] = ()) -> str | None:
    """The same for one without a pool among its further steps; `passed`: operands that the part before computes."""
    if instruction.result is None:
        return "an epilogue needs the register of the result" if instruction.epilogue else None
    known: set[IRValue] = set()
    memory = [o for o in instruction.operands.values() if o in passed or not is_register(o.value)]
    elements = instruction.computed.type.elements
    for step in steps(instruction):
        spec, type = INSTRUCTIONS[step.kind], step_type(step)
        if not _may_stand(instruction, step):
            return f"{step.kind} cannot be step {len(known)}"
        if type.elements != elements:
            return f"{step.name} computes {type.elements} elements, not {elements}"
        if not _reads_what_is_there(step, known, memory):
            return f"{step.name} reads what is neither an operand nor computed before it"
        if not all(may_read(instruction, value.type, type) for value in step.reads() if spec.elementwise):
            return f"the kernel of {instruction.kind} cannot index the operands of {step.name}"
        known.add(step["Dest"])
    if step.operands["Dest"] is not instruction.operands["Dest"]:
        return "the last step does not write Dest"
    return "operands repeat along different shapes" if loop_shape(instruction) is None else None


def _may_stand(instruction: Instruction, step: Instruction) -> bool:
    """Whether a step may have its place: the first one takes an epilogue; only loops over elements move others."""
    spec = INSTRUCTIONS[step.kind]
    if step["Dest"] is instruction.result:
        return spec.epilogue is not None
    if INSTRUCTIONS[instruction.kind].family == "vector":
        return _is_in_vectors(step) or (step is instruction.epilogue[-1] and _is_slice(instruction, step))
    if step.kind == INSERT:
        return is_loop(instruction) and step is instruction.epilogue[-1]
    return spec.elementwise or (spec.moves and is_loop(instruction))


def _is_in_vectors(step: Instruction) -> bool:
    return step.kind in IN_VECTORS and all(o.value.type.elem is ElemKind.FLOAT for o in step.operands.values())


def _is_slice(instruction: Instruction, step: Instruction) -> bool:
    """Whether a step inserts the channels that a convolution computes among those of a larger image."""
    if step.kind != INSERT or instruction.kind in ("nhwcmaxpool", "nhwcavgpool"):
        return False
    part, whole = step["Src"].type.shape, step["Dest"].type.shape
    return part == instruction.computed.type.shape and part[:-1] == whole[:-1]


def _reads_what_is_there(step: Instruction, known: Collection[IRValue], memory: Collection[Operand]) -> bool:
    """Operands of the instruction, and whole registers that are written already; memory only where elements move."""
    elements, moves = step_type(step).elements, INSTRUCTIONS[step.kind].moves
    return all(
        operand in memory
        or (storage(operand.value)[0] in known and operand.value.type.elements == elements and not moves)
        for operand in step.operands.values()
        if operand.role.reads
    )
