"""List of the machines to measure on, each with a tick and a test."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from PySide6.QtCore import QObject, Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QHBoxLayout, QListWidget, QListWidgetItem, QWidget

from gui.shell.worker import Query
from gui.widgets.controls import add_parts, label, push_button, show_text, vbox
from kernels.bench.hosts.host import EXAMPLE, LOCAL, default_path, read_hosts
from kernels.bench.measure.environment import Environment
from kernels.control_characters import escape_controls
from kernels.errors import InputError
from kernels.files import write_text

if TYPE_CHECKING:
    from PySide6.QtGui import QShowEvent

    from kernels.bench.hosts.host import Host

_LONGEST_S: Final = 86_400.0
"""The command itself ends after the time that each host has to answer."""


class HostTest(QObject):
    """Tests hosts.

    Signals
    -------
    host_begun(str), host_answered(str, str, bool)
        The name of a host; what it would measure on or why it cannot, and whether it can.
    """

    host_begun = Signal(str)
    host_answered = Signal(str, str, bool)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._waiting: list[str] = []
        self.current = ""
        """Name of the host that is tested; "" for none."""
        self._query = Query(self, timeout_s=_LONGEST_S)
        self._query.answer_received.connect(self._use)
        self._query.query_failed.connect(lambda words: self._tell(words, able=False))

    def test(self, name: str) -> None:
        """Test a host, after those that are waiting."""
        if name not in (self.current, *self._waiting):
            self._waiting.append(name)
        self._next()

    def close(self) -> None:
        """Test no further."""
        self._waiting.clear()
        self.current = ""
        self._query.close()

    def _next(self) -> None:
        if self._waiting and not self.current:
            self.current = self._waiting.pop(0)
            self.host_begun.emit(self.current)
            self._query.ask("hosts", self.current, "--json")

    def _use(self, answer: Any) -> None:
        checks = answer["checks"]
        errors = [check["error"] for check in checks if check["error"]]
        if errors:
            self._tell(errors[0], able=False)  # its other GPUs are reached in the same way
            return
        found = [Environment.from_json(check["environment"]) for check in checks]
        devices = [
            f"{machine.gpu} (CUDA driver {machine.cuda_driver})" if machine.gpu else machine.cpu for machine in found
        ]
        seconds = max(check["seconds"] for check in checks)
        no_gpu = "" if all(machine.gpu for machine in found) else ", no GPU"
        self._tell(f"{', '.join(devices)}{no_gpu}; answered after {seconds:.1f} s", able=True)

    def _tell(self, words: str, *, able: bool) -> None:
        name, self.current = self.current, ""
        self.host_answered.emit(name, words, able)
        self._next()


_NAME_ROLE: Final = Qt.ItemDataRole.UserRole
_STATE_ROLE: Final = Qt.ItemDataRole.UserRole + 1
_CHECKED: Final = Qt.CheckState.Checked

_THIS_MACHINE: Final = "This machine"
_ABOUT: Final = (
    "Ticked machines share the points. A host needs the same version of tilescope, and a command such as ssh that "
    "reaches it."
)


class HostsPanel(QWidget):
    """Lists this machine and the hosts of `hosts.toml`.

    Signals
    -------
    choice_changed()
        Other machines are ticked.
    """

    choice_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._hosts: tuple[Host, ...] = ()
        self.tester = HostTest(self)
        self._build()
        self._connect()
        self.read()

    @property
    def chosen(self) -> tuple[str, ...]:
        """Names of the ticked machines, `LOCAL` for this one."""
        return tuple(str(item.data(_NAME_ROLE)) for item in self._items() if item.checkState() == _CHECKED)

    @property
    def elsewhere(self) -> tuple[str, ...]:
        """The same; empty if only this machine is ticked, with one GPU: that needs no host.

        Raises
        ------
        InputError
            When no machine is ticked.
        """
        if not self.chosen:
            raise InputError("No machine is ticked. Tick one on the tab “Hosts”.")
        several = any(host.is_local and len(host.gpus) > 1 for host in self._hosts)
        return () if self.chosen == (LOCAL,) and not several else self.chosen

    @property
    def start_words(self) -> str:
        """Words for the button that starts the measurement."""
        names = [escape_controls(name) for name in self.chosen]
        if names in ([], [LOCAL]):
            return "Start"
        return f"Start on {names[0]}" if len(names) == 1 else f"Start on {len(names)} machines"

    def read(self) -> None:
        """Read the file of hosts; ticks and results of tests stay."""
        ticked = self.chosen
        states = {item.data(_NAME_ROLE): item.data(_STATE_ROLE) for item in self._items()}
        current = self._current_name()
        problem = ""
        try:
            self._hosts = read_hosts()
        except InputError as error:
            problem = f"⚠ {error}"
        show_text(self.problem, problem)
        self.list.blockSignals(True)
        self.list.clear()
        for name in (LOCAL, *(host.name for host in self._hosts if not host.is_local)):
            item = QListWidgetItem(self.list)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setData(_NAME_ROLE, name)
            item.setCheckState(_CHECKED if name in (ticked or (LOCAL,)) else Qt.CheckState.Unchecked)
            self._set_state(item, states.get(name) or ("", ""))
            if name == current:
                self.list.setCurrentItem(item)
        if self.list.currentItem() is None:
            self.list.setCurrentRow(0)
        self.list.blockSignals(False)
        self._show_current()
        if self.chosen != ticked:
            self.choice_changed.emit()

    def showEvent(self, event: QShowEvent) -> None:
        """Read the file again: it may have been edited."""
        super().showEvent(event)
        self.read()

    def _test(self) -> None:
        name = self._current_name()
        if name:
            self.tester.test(name)

    def _edit(self) -> None:
        """Open the file in the desktop's editor; a new one holds an example."""
        path = default_path()
        try:
            if not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                write_text(path, "".join(f"# {line}\n" for line in EXAMPLE.splitlines()))
        except (OSError, InputError) as error:
            self.details.setText(f"⚠ {error}")
            return
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(path))):
            self.details.setText(f"Edit this file: {path}")

    def _begin(self, name: str) -> None:
        self._show_state(name, ("…", "being tested"))

    def _answer(self, name: str, words: str, able: bool) -> None:
        self._show_state(name, ("✓" if able else "⚠", words))

    def _show_state(self, name: str, state: tuple[str, str]) -> None:
        for item in self._items():
            if item.data(_NAME_ROLE) == name:
                self._set_state(item, state)
        self._show_current()

    def _set_state(self, item: QListWidgetItem, state: tuple[str, str]) -> None:
        item.setData(_STATE_ROLE, state)
        mark, words = state
        name = str(item.data(_NAME_ROLE))
        shown = _THIS_MACHINE if name == LOCAL else escape_controls(name)
        short = words.partition(";")[0] if mark == "✓" else {"⚠": "cannot measure", "…": words}.get(mark, "")
        item.setText(f"{shown}   {mark} {short}" if mark else shown)

    def _show_current(self) -> None:
        """Show how the machine in focus is reached, and the result of its test."""
        item = self.list.item(self.list.currentRow())
        name = str(item.data(_NAME_ROLE))
        host = next((host for host in self._hosts if host.name == name), None)
        lines = []
        if host is not None:
            if host.command:
                lines.append(f"Reached by: {escape_controls(' '.join(host.command))}")
            if host.gpus:
                lines.append(f"GPUs: {escape_controls(', '.join(host.gpus))}")
        mark, words = item.data(_STATE_ROLE)
        lines.append(f"{mark} {escape_controls(words)}" if mark else "Not tested yet.")
        self.details.setText("\n".join(lines))
        testing = self.tester.current == name
        self.test_button.setEnabled(not testing)
        self.test_button.setText("Testing …" if testing else "Test")

    def _items(self) -> list[QListWidgetItem]:
        return [self.list.item(row) for row in range(self.list.count())]

    def _current_name(self) -> str:
        row = self.list.currentRow()
        return str(self.list.item(row).data(_NAME_ROLE)) if row >= 0 else ""

    def _build(self) -> None:
        self.list = QListWidget()
        self.list.setAccessibleName("Machines to measure on")
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.problem = label(role="warning", line=True)
        self.details = label(line=True)
        self.details.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.test_button = push_button(
            "Test", "Start a worker on the machine in focus, and show what answers", self._test
        )
        self.edit_button = push_button("Edit hosts.toml…", f"The list of hosts: {default_path()}", self._edit)
        buttons = QHBoxLayout()
        add_parts(buttons, self.test_button, self.edit_button)
        column = vbox(self, (0, 6, 0, 0))
        column.addWidget(label("Measure on", "heading"))
        column.addWidget(self.list, 2)
        column.addWidget(self.problem)
        column.addWidget(self.details, 1)
        add_parts(column, buttons, label(_ABOUT, "muted", line=True))

    def _connect(self) -> None:
        self.list.itemChanged.connect(lambda _item: self.choice_changed.emit())
        self.list.currentItemChanged.connect(lambda _new, _old: self._show_current())
        self.tester.host_begun.connect(self._begin)
        self.tester.host_answered.connect(self._answer)
