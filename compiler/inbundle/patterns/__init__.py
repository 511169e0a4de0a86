"""Patterns: sub-graphs described as text, found, chosen and rewritten. It knows graphs, and no pass."""

from inbundle.patterns.matcher import Match
from inbundle.patterns.pattern import Pattern, conditions_for
from inbundle.patterns.rewriter import Rewriter
from inbundle.patterns.rules import Rule, apply_rule, apply_rules, expanded, removed, wrapped

__all__ = [
    "Match",
    "Pattern",
    "Rewriter",
    "Rule",
    "apply_rule",
    "apply_rules",
    "conditions_for",
    "expanded",
    "removed",
    "wrapped",
]
