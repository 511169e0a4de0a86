"""inbundle: compiles ONNX models into standalone C bundles that run as interaction nets."""

__version__ = "0.1.0"
