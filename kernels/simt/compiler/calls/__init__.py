"""Calls: of the file's functions, of members, through pointers; overloads and template arguments."""
