"""Published tables that one command reproduces from the data in `resources/experiments`."""

from kernels.experiments.compare import Claim, Comparison, Series, compare
from kernels.experiments.load import experiments, find_experiment
from kernels.experiments.model import Experiment, Machine, Scale
from kernels.experiments.plan import estimate_s, experiment_plan

__all__ = [
    "Claim",
    "Comparison",
    "Experiment",
    "Machine",
    "Scale",
    "Series",
    "compare",
    "estimate_s",
    "experiment_plan",
    "experiments",
    "find_experiment",
]
