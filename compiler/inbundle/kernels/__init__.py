"""C kernels: the native functions that the nets of a bundle call."""

from inbundle.kernels.natives import NATIVES, generate_natives

__all__ = ["NATIVES", "generate_natives"]
