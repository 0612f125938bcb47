from __future__ import annotations

import json

from click.testing import CliRunner

from kernels.catalog import catalog
from kernels.cli import main


def test_every_kernel_is_listed_in_teaching_order_with_its_options_and_flaw() -> None:
    result = CliRunner().invoke(main, ["kernels"])
    assert result.exit_code == 0
    starts = [line.split()[0] for line in result.stdout.splitlines() if not line.startswith(" ")]
    assert starts == [kernel.id for kernel in catalog()]
    assert "  lesson: Sums are added to C, which was never set to zero." in result.stdout
    assert "  option x: threadIdx.x gives the row (default) or mmt_naive:x=column" in result.stdout


def test_json_has_them_all() -> None:
    listed = json.loads(CliRunner().invoke(main, ["kernels", "--json"]).stdout)["kernels"]
    assert [kernel["id"] for kernel in listed] == [kernel.id for kernel in catalog()]
    stripe = next(kernel for kernel in listed if kernel["id"] == "mmt_stripe")
    assert (stripe["clear"], stripe["options"]) == (["P"], {"x": ["row", "column"]})
