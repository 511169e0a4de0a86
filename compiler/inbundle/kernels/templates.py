"""The jinja2 templates of the C kernels."""

from __future__ import annotations

from pathlib import Path

from inbundle import rendering, resources


def folder() -> Path:
    """The folder of templates and of the C functions they call."""
    return resources.templates() / "kernels"


def render(template: str, **facts: object) -> str:
    """The text of a template in `folder()`."""
    return rendering.render(f"kernels/{template}", **facts)
