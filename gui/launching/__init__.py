"""A `.cu` file that does not say how it is launched: what has to be asked, a first proposal, and the run. No Qt."""

from gui.launching.proposals import proposals
from gui.launching.run import perform

__all__ = ["perform", "proposals"]
