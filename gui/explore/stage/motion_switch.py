"""Layer of motion between steps, on or off."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QStyle

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtWidgets import QWidget

    from gui.explore.stage.scene import Scene
    from gui.explore.stage.stage_bar import StageBar
    from kernels.analysis import Frame

MOTION_MS: Final = 250

_SHARE: Final = 0.8
"""Most of the time of a step that a motion takes while the steps play."""

_SHORTEST_MS: Final = 60
"""A motion that would be shorter is left out: four pictures show no movement."""


class MotionSwitch(QObject):
    """Layer of the stage bar; off at first where the system asks for no animations.

    Signals
    -------
    changed(bool)
        The user turned motion on or off.
    """

    changed = Signal(bool)

    def __init__(self, bar: StageBar) -> None:
        super().__init__(bar)
        tip = "Values move from where they are read to where they are stored"
        self.action = bar.add_layer("Motion", tip, "motion", self.changed.emit)
        self.set_on(not reduces_motion(bar))

    @property
    def on(self) -> bool:
        """True if steps are shown with motion."""
        return self.action.isChecked()

    def set_on(self, on: bool) -> None:
        """Turn motion on or off."""
        self.action.setChecked(on)

    def duration_ms(self, shown: Scene | None, frames: Sequence[Frame], position: int, step_ms: int) -> int:
        """Return how long the motion to a frame lasts; 0 for none.

        Parameters
        ----------
        shown : Scene
            What is shown: only to the next frame there is a motion, not backwards and not across frames.
        frames, position
            The playlist, and the frame that is to be shown.
        step_ms : int
            Time until the next step; 0 if the steps do not play.
        """
        if not self.on or shown is None or position < 1:
            return 0
        if tuple(frames[position - 1]) != (shown.block, shown.step):
            return 0
        duration = min(MOTION_MS, round(step_ms * _SHARE)) if step_ms else MOTION_MS
        return duration if duration >= _SHORTEST_MS else 0


def reduces_motion(widget: QWidget) -> bool:
    """Return whether the system asks for no animations: by Qt's hint (Qt 6.12), or else by an animation time of 0."""
    accessibility = getattr(QGuiApplication.styleHints(), "accessibility", lambda: None)()  # Qt 6.10
    preference = getattr(accessibility, "motionPreference", None)
    if preference is not None:
        return bool(preference().name != "NoPreference")
    return widget.style().styleHint(QStyle.StyleHint.SH_Widget_Animation_Duration, None, widget) == 0
