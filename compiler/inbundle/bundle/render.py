"""Fills a template of `templates/`. Templates hold layout; what they show is computed before."""

from __future__ import annotations

from functools import cache

import jinja2

from inbundle.resources import templates


@cache
def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(templates()),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )


def render(template: str, **context: object) -> str:
    """The text of `template`, a path below `templates/`."""
    return _environment().get_template(template).render(**context)
