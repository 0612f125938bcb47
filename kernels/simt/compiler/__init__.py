"""The tree to closures over lanes: scopes, lvalues, operators, statements, calls, index analysis."""
