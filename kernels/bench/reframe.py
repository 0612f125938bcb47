"""A check for ReFrame: a test for each shard of a plan, which extracts the rate of every point."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from kernels.bench.shards import on_cpu

if TYPE_CHECKING:
    from kernels.bench.plan import Plan

CHECK_FILE: Final = "tilescope_check.py"

_MARGIN: Final = 3.0
_LEAST_MINUTES: Final = 5

_CHECK: Final = '''\
"""Measures plan.json with ReFrame, a test for each shard. Read and edit this file, then, from any folder:

    reframe -C SETTINGS.py -c {check} -r

Where the shards would run on one machine at once, add --exec-policy=serial: they would disturb each other.

The figures of every point are in ReFrame's performance report; `tilescope collect FOLDER` takes the .jsonl files of the
output below the folder of plan.json.
"""

import json
from pathlib import Path

import reframe as rfm
import reframe.utility.sanity as sn


@rfm.simple_test
class TilescopeShard(rfm.RunOnlyRegressionTest):
    shard = parameter(range(1, {last}))
    valid_systems = ["*"]  # the partitions with the GPUs to measure
    valid_prog_environs = ["*"]
    sourcesdir = None
    executable = "tilescope"
    time_limit = "{minutes}m"
    num_tasks = 1
{gpus}
    @run_before("run")
    def name_files(self):
        plan = Path(__file__).resolve().with_name("plan.json")
        self.results = f"shard_{{self.shard}}.jsonl"
        self.executable_opts = ["bench", str(plan), "--shard", str(self.shard), "--jsonl", ">", self.results]
        self.keep_files = [self.results]

    def samples(self):
        lines = (Path(self.stagedir) / self.results).read_text(encoding="utf-8").splitlines()
        return [data for line in lines if (data := json.loads(line))["event"] in ("sample", "failed")]

    @sanity_function
    def every_result_is_verified(self):
        wrong = [f"{{s['kernel']}} {{s['size']}}: {{s['error']}}" for s in self.samples() if not s["verified"]]
        return sn.assert_false(wrong, f"not verified: {{wrong}}")

    @run_before("performance")
    def extract_figures(self):
        for sample in self.samples():
            if sample["gflops"]:
                block = "x".join(map(str, sample["block"] or [sample["threads"]]))
                size = "x".join(map(str, sample["size"]))
                memory = sample["memory"] + "_cold" * sample["cold"]
                name = f"{{Path(sample['kernel']).name}}_{{block}}_{{memory}}_{{size}}"
                self.perf_variables[name] = sn.make_performance_function(sn.defer(sample["gflops"]), "GFLOPS")
'''


def reframe_check(plan: Plan, seconds: float) -> str:
    """Return the text of the check; `seconds` is the predicted duration of the longest shard."""
    needs_gpu = not all(on_cpu(point) for point in plan.points)
    return _CHECK.format(
        check=CHECK_FILE,
        last=plan.shards + 1,
        minutes=max(_LEAST_MINUTES, math.ceil(_MARGIN * seconds / 60)),
        gpus="    num_gpus_per_node = 1\n" if needs_gpu else "",
    )
