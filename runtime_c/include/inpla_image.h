/*
 * inpla_image.h - the format of a net image: the initial net of a program as bytes.
 *
 * The compiler writes it (nets/image.py), inpla_run reads it. An image is the same for every target: it consists of
 * bytes, varints and raw floats, so neither word size nor byte order nor alignment matters.
 *
 * Elements
 *
 *   varint   unsigned LEB128: 7 bits per byte, lowest first, bit 7 set in all bytes but the last. The value has to
 *            fit into a machine word of the target (5 or 10 bytes at most). The shortest form is expected.
 *   int      zigzag in a varint: 0, -1, 1, -2, 2 ... are 0, 1, 2, 3, 4 ...: (n << 1) ^ (n >> word - 1)
 *   float    4 bytes: the bits of an IEEE single, least significant byte first, on every target
 *   literal  an int or a float, by the kind of the port or parameter it is for
 *
 * Image
 *
 *   4 bytes  INPLA_IMAGE_MAGIC
 *   1 byte   INPLA_IMAGE_VERSION
 *   varint   number of wire slots
 *   varint   number of agents of the program, the built-in ones included    these two have to equal the program's:
 *   varint   number of native functions of the program                      a check, no more
 *   varint   number of bytes that follow, of the body
 *   body     ops, the last of them INPLA_IMAGE_END
 *
 * Bytes behind the body are ignored (padding).
 *
 * Op: one byte of enum inpla_image_op, then its operands
 *
 *   INPLA_IMAGE_CONNECT   term term    a connection
 *   INPLA_IMAGE_SECTION                reduce what is there to normal form, then go on. What is loaded between two
 *                                      section ends has to fit into the heap together with what is left of before.
 *   INPLA_IMAGE_END                    the same, and the image ends here, with the last byte of the body
 *
 * Term: a varint v (as in nets/program.py)
 *
 *   v even   a wire, the slot v >> 1, which is less than the number of slots
 *   v odd    the agent v >> 1, followed by its ports, in order:
 *              wire port         a term
 *              attribute port    varint 0, literal of the port's kind, or
 *                                varint 1 + n, a call of native function n, whose result has the kind of the port,
 *                                followed by a literal for each of its parameters
 *
 * Slots: a slot is empty or holds a wire with one end still free. At the first occurrence the slot is empty, and the
 * loader makes a wire and keeps it there; at the second occurrence the wire is taken out and the slot is empty again,
 * free for another wire. Slots are only for wires between two occurrences, so few are needed.
 *
 * The interface: wires that occur once, at the end of the image, stay in their slots, where inpla_put and inpla_get
 * find them. The input names have the slots 0, 1, ..., in the order of the program, then come the output names, then
 * private ones. An input that inpla_put has connected before is a wire in its slot, so that the image's one
 * occurrence of it takes it out: the input's slot is not recycled by the image before that occurrence, and may be
 * after it. Native functions are called while the image is read, in its order, each call exactly once.
 *
 * Anything else is INPLA_ERROR_IMAGE: bytes that end too early, numbers out of range, an unknown op, a header for
 * another program. More slots than inpla_limits allow is INPLA_ERROR_MEMORY.
 */
#ifndef INPLA_IMAGE_H
#define INPLA_IMAGE_H

#define INPLA_IMAGE_MAGIC "INet" /* 4 bytes, without the final 0 */
#define INPLA_IMAGE_VERSION 1

/* ORDER IMAGE OP (nets/image.py) */
enum inpla_image_op { INPLA_IMAGE_END, INPLA_IMAGE_SECTION, INPLA_IMAGE_CONNECT };

#endif
