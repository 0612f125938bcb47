"""Names of instances of struct templates, and their parts."""

from __future__ import annotations


def template_name(name: str) -> str:
    """Return the name of the template that a struct's name is an instance of: `A<1>::B` of `A<1>::B<int>`."""
    depth = 0
    for at in range(len(name) - 1, -1, -1) if name.endswith(">") else ():
        depth += (name[at] == ">") - (name[at] == "<")
        if depth == 0:
            return name[:at]
    return name


def plain_name(name: str) -> str:
    """Return the name of a struct inside of itself: `B` for `A<1>::B<int>`."""
    return template_name(name).rpartition("::")[2]
