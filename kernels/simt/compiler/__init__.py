"""The compiler of the syntax tree to closures over lanes: scopes, lvalues, operators, statements, index analysis."""
