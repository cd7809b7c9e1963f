"""Will this training run fit, how fast will it be, and what will it cost?

    >>> import traincost
    >>> job = dict(model="llama-3.1-8b", gpu="h100", gpus=8, seq=8192, micro_batch=1, global_batch=64, zero=1)
    >>> traincost.estimate(**job)["memory"]["fits"]
    True

A question is a flag of the command line a keyword, with underscores for dashes: ``micro_batch=1`` is
``--micro-batch 1``. An answer is the dictionary that the command prints with ``--json``, in base units.
What is wrong with a question is a `TraincostError`.
"""

from ._library import TraincostError, ask, version
from ._questions import Sweep, achieved, compare, estimate, explain, export, plan, read, recommend, report, sweep, timeline

__all__ = [
    "Sweep",
    "TraincostError",
    "achieved",
    "ask",
    "compare",
    "estimate",
    "explain",
    "export",
    "plan",
    "read",
    "recommend",
    "report",
    "sweep",
    "timeline",
    "version",
]

__version__ = version
