"""Option `--arch`: the GPU whose code the simulator runs, where a source has several."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from kernels.architecture import SM_80, Architecture

if TYPE_CHECKING:
    from click import Context, Parameter


def _parse(_context: Context, _parameter: Parameter, text: str | None) -> Architecture | None:
    return None if text is None else Architecture.parse(text)


arch_option: Final = click.option(
    "--arch",
    metavar="sm_80|sm_90a|…",
    callback=_parse,
    help=f"The GPU whose code is simulated, where #if __CUDA_ARCH__ chooses; {SM_80}, or with --on-gpu the GPU here.",
)
