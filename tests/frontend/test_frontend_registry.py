"""The importer for an opset is the newest that is not newer."""

from __future__ import annotations

import pytest
from onnx import defs

from inbundle.frontend import importers as importers
from inbundle.frontend.importers import registry


def test_the_largest_version_not_above_the_opset_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_IMPORTERS", {})

    @registry.importer("Twice", since=1)
    @registry.importer("Alias", since=3)
    def old(ctx: object) -> list[object]:
        return []

    @registry.importer("Twice", since=13)
    def new(ctx: object) -> list[object]:
        return []

    assert [registry.find("Twice", opset) for opset in (1, 12, 13, 99)] == [old, old, new, new]
    assert registry.find("Alias", 2) is None
    assert registry.find("Twice", 13, "other.domain") is None
    assert registry.operators() == ["Alias", "Twice"]


@pytest.mark.parametrize("operator", registry.operators())
def test_every_version_of_an_imported_operator_has_an_importer(operator: str) -> None:
    versions = [schema.since_version for schema in defs.get_all_schemas_with_history() if schema.name == operator]
    assert registry.find(operator, min(versions)) is not None
