"""Where the package's data files are: in a checkout beside `compiler/`, in an installed package inside it."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
_CHECKOUT = _PACKAGE.parent.parent


def _folder(name: str) -> Path:
    for root in (_PACKAGE, _CHECKOUT):
        if (root / name).is_dir():
            return root / name
    raise FileNotFoundError(f"inbundle is installed without its {name} folder; install it again")


def templates() -> Path:
    """The jinja2 templates."""
    return _folder("templates")


def engine() -> Path:
    """The INPLA engine: `include/` and `src/`."""
    return _folder("runtime_c")
