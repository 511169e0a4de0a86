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
    )


def render(template: str, **facts: object) -> str:
    """The text of `template`, a path below `templates/`; a fact that it needs and is not given is an error of ours."""
    return _environment().get_template(template).render(facts)
