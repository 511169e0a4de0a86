"""Importers, one module per operator family."""

import importlib
import pkgutil

# The families enter their importers into the registry when they are imported.
for _family in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_family.name}")
