"""Kernels in vector extensions of GCC and Clang: channels-last convolutions and pools, packed matrix products.

Each is written once and compiled for several vector units, in one object; at run time the best one that the processor
has is taken.
"""
