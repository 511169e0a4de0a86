"""The jinja2 templates of the C kernels."""

from __future__ import annotations

import functools
from pathlib import Path

import jinja2

from inbundle import resources


def folder() -> Path:
    """The folder of templates and of the C functions they call."""
    return resources.templates() / "kernels"


@functools.cache
def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder()),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def render(template: str, **facts: object) -> str:
    """The text of a template; a fact that it needs and is not given is an error of ours."""
    return _environment().get_template(template).render(facts)
