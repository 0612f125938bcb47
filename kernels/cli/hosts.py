"""`tilescope hosts`: the hosts that can measure for this machine, and a test of some of them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Any

import click

from kernels.bench.hosts.fan_out import fan_out
from kernels.bench.hosts.host import default_path, find_hosts, read_hosts, slots_of
from kernels.bench.plan import Plan
from kernels.bench.protocol import EnvironmentMessage, SlotLost

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernels.bench.hosts.host import Host, Slot
    from kernels.bench.measure.environment import Environment


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def command(names: tuple[str, ...], as_json: bool) -> int:
    """List the hosts of the file hosts.toml; with NAME, start a worker there and show what answers.

    The exit status is 1 when a host does not answer.
    """
    if not names:
        _list(read_hosts(), as_json=as_json)
        return 0
    checks = []
    for slot in slots_of(find_hosts(names)):
        checks.append(check_slot(slot))
        if not as_json:
            click.echo(_words(checks[-1]))
    if as_json:
        click.echo(json.dumps({"checks": [check.to_json() for check in checks]}))
    return 1 if any(check.error for check in checks) else 0


def _list(hosts: Sequence[Host], *, as_json: bool) -> None:
    if as_json:
        listed = [{"name": host.name, "command": list(host.command), "gpus": list(host.gpus)} for host in hosts]
        click.echo(json.dumps({"file": str(default_path()), "hosts": listed}))
        return
    if not hosts:
        click.echo(f"There are no hosts. Describe one in {default_path()}:\n")
        click.echo('[gpubox]\ncommand = ["ssh", "gpubox"]')
        return
    width = max(len(host.name) for host in hosts)
    for host in hosts:
        gpus = f"  GPUs {', '.join(host.gpus)}" if host.gpus else ""
        click.echo(f"{host.name:<{width}}  {' '.join(host.command) or 'this machine'}{gpus}")
    click.echo(f"\nThe file is {default_path()}")
    click.echo("'tilescope hosts NAME' tests a host, 'tilescope bench --host NAME' measures there.")


def _words(check: HostCheck) -> str:
    if check.environment is None:
        return check.error
    found = check.environment
    device = f"{found.gpu} ({found.gpu_uuid}), CUDA driver {found.cuda_driver}" if found.gpu else f"{found.cpu}, no GPU"
    return f"{check.slot} answers after {check.seconds:.1f} s: tilescope {found.tilescope}, {device}"


# --- Test of a slot: whether a worker starts there, which version it has, and what it would measure on


@dataclass(frozen=True, slots=True)
class HostCheck:
    """Answer of a slot."""

    slot: Slot
    environment: Environment | None
    """What it would measure on; None if it cannot."""
    error: str
    """The reason, a sentence with the name of the slot; "" if it can."""
    seconds: float
    """Time until the answer."""

    def to_json(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            "slot": str(self.slot),
            "environment": self.environment.to_json() if self.environment else None,
            "error": self.error,
            "seconds": self.seconds,
        }


def check_slot(slot: Slot) -> HostCheck:
    """Start a worker in a slot without a point, and end it."""
    start_s = monotonic()
    environment: Environment | None = None
    error = ""
    for message in fan_out(Plan(()), (slot,), only_check=True):
        match message:
            case EnvironmentMessage(environment):
                pass
            case SlotLost(name, reason):
                error = f"{name} {reason}"
    return HostCheck(slot, environment, error, monotonic() - start_s)
