"""Random kernels give on the GPU what they give in the simulator, bit for bit.

They are the programs that `tests/kernels/simt/fuzz/test_fuzz.py` holds against the oracle: the GPU is a second one.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings

from kernels.frontend import parse
from kernels.simt import Options, run
from tests.kernels.simt.fuzz.programs import programs

if TYPE_CHECKING:
    from tests.kernels.simt.fuzz.frame import Random

LONG = os.environ.get("TILESCOPE_FUZZ")


@settings(
    max_examples=int(LONG or 50),
    derandomize=not LONG,
    deadline=None,
    database=None,
    phases=(Phase.generate,),
    suppress_health_check=list(HealthCheck),  # to shrink takes minutes: NVRTC is slow
)
@given(random=programs())
def test_the_gpu_does_what_the_simulator_does(random: Random, capfd: pytest.CaptureFixture[str]) -> None:
    cupy = pytest.importorskip("cupy")
    from tests.gpu.launch_source import launch_source

    arguments = random.arguments()
    found = run(
        parse(random.source, "k.cu"),
        random.launch,
        arguments,
        options=Options(random.schedule, contract=False),
    )
    arrays = {n: cupy.asarray(v) if isinstance(v, np.ndarray) else v for n, v in arguments.items()}
    launch_source(random.source, "k", random.launch, arrays, fmad=False)
    for name in ("RI", "RF", "RV", "COUNT"):
        np.testing.assert_array_equal(found.outputs[name], cupy.asnumpy(arrays[name]), err_msg=name)
    capfd.readouterr()  # what was printed comes in any order
