"""`tilescope devices`: the GPU of this machine, or the reason that none can be used, and the known GPUs."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from kernels.device import devices, find_device
from kernels.errors import InputError, UnavailableError
from kernels.number_types import BFLOAT16

if TYPE_CHECKING:
    from kernels.device import Device


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object, with every figure.")
def command(as_json: bool) -> None:
    """Show the GPU of this machine, or the reason that none can be used, and the known GPUs."""
    present, missing = find_present()
    listed = (*present, *devices())
    if as_json:
        click.echo(json.dumps({"devices": [_plain(d) for d in listed], "missing": missing}))
        return
    if missing:
        click.echo(f"No GPU can be used here: {missing}\n")
    click.echo(
        f"{'device':<12} {'name':<28} {'arch':<7} {'SMs':>4} {'warps':>6} {'blocks':>7} {'registers':>10} "
        f"{'shared':>8} {'TFLOPS':>7} {'bf16':>6} {'GB/s':>6}"
    )
    for d in listed:
        click.echo(
            f"{d.id:<12} {d.name[:28]:<28} {d.arch:<7} {d.sm_count:>4} {d.warps_per_sm:>6} "
            f"{d.blocks_per_sm:>7} {d.registers_per_sm:>10,} {f'{d.shared_per_sm_bytes // 1024} KiB':>8} "
            f"{d.peak_fp32_gflops / 1e3:>7.1f} {_halves(d):>6} {d.memory_gb_s:>6,.0f}"
        )
    click.echo("\nWarps, blocks, registers and shared memory are for each SM; TFLOPS are float32 at boost clock.")
    click.echo("bf16 are TFLOPS of tensor cores with bfloat16 factors, dense, at the clock for which they are stated.")


def find_present() -> tuple[tuple[Device, ...], str]:
    """Return the GPU in this machine, and the reason in one line when there is none; one of the two is empty."""
    from kernels.gpu.device import present_device

    try:
        return (present_device(),), ""
    except UnavailableError as error:
        return (), str(error)


def choose(name: str | None) -> Device:
    """Return the device of that name; `present`, or no name, means the GPU in this machine.

    Raises
    ------
    InputError
        When there is no such device, or no name and no GPU here.
    UnavailableError
        When the name is `present` and there is no GPU here.
    """
    if name is not None and name.lower() != "present":
        return find_device(name)
    present, missing = find_present()
    if present:
        return present[0]
    if name is None:
        raise InputError(f"no GPU can be used here ({missing}): choose one with --device, such as --device T4")
    raise UnavailableError(f"no GPU can be used here: {missing}")


def _halves(device: Device) -> str:
    peak = device.tensor_peak_gflops(BFLOAT16)
    return f"{peak / 1e3:,.0f}" if peak else "–"


def _plain(device: Device) -> dict[str, Any]:
    return {
        **asdict(device),
        "arch": device.arch,
        "peak_fp32_gflops": device.peak_fp32_gflops,
        "tensor_peak_gflops": {factors: device.tensor_peak_gflops(factors) for factors in device.tensor_flops},
    }
