#!/usr/bin/env python3
"""Measures one training job on this machine. Written by `traincost export bench`.

Needs PyTorch 2.11 or later and nothing else. One process a GPU:

    python3 bench.py                                      one GPU
    torchrun --nproc-per-node 8 bench.py                  all GPUs of a node

Useful flags: --record FILE appends a run record for `traincost validate` and `traincost calibrate`,
--matrix runs a table of modes and features, --report and --style llm-bench print other tools' layouts.
"""
import argparse
import contextlib
import datetime
import functools
import itertools
import json
import math
import os
import resource
import statistics
import subprocess
import sys
import time

BENCH = json.loads(r'''@BENCH@''')

if BENCH["job"]["stack"]["device"]["expandable_segments"]:
    os.environ.setdefault("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True")

import torch  # noqa: E402  the allocator reads its settings when torch is loaded
import torch.distributed as dist  # noqa: E402
import torch.nn.functional as F  # noqa: E402
from torch import nn  # noqa: E402
from torch.utils.checkpoint import checkpoint  # noqa: E402

TYPES = {"fp32": torch.float32, "tf32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}


def fail(message):
    """One clear line, and the exit code of bad input."""
    sys.stderr.write(f"bench: error: {message}\n")
    sys.exit(2)


def merged(base, change):
    """`base` with the members of `change` laid over it, object by object (RFC 7386, null removes)."""
    if not isinstance(base, dict) or not isinstance(change, dict):
        return change
    result = dict(base)
    for key, value in change.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merged(result.get(key, {}), value)
    return result


class Job:
    """The job as the script reads it: the block of the exporter, and what a matrix changes of it."""

    def __init__(self, bench):
        self.bench = bench
        self.how = bench["how"]
        self.model = bench["job"]["model"]
        self.run = bench["job"]["run"]
        self.stack = bench["job"]["stack"]
        self.cluster = bench["job"]["cluster"]
        self.precision = self.run["precision"]
        self.parallel = {"tp": 1, "pp": 1, "vp": 1, "dp": 1, "cp": 1, "zero": 0, **self.run["parallel"]}
        p = self.parallel
        self.world = p["tp"] * p["pp"] * p["dp"] * p["cp"]
        self.sequence = self.run["sequence"]
        self.micro_batch = self.run["micro_batch"]
        self.accumulation = max(1, self.run["global_batch"] // (self.micro_batch * p["dp"]))
        self.compile = self.run.get("compile", self.stack["layer"]["compile"])
        self.dropout = self.run.get("dropout", self.stack["layer"]["dropout"])
        self.sequence_parallel = p["tp"] > 1 and p.get("sequence_parallel", self.stack["layer"]["sequence_parallel"])
        self.fused_qkv = self.stack["layer"]["fused_qkv"] or self.model.get("fused_qkv", False)
        multiple = self.stack["head"]["vocab_multiple"] * p["tp"]
        self.rows = -(-self.model["vocab"] // multiple) * multiple if multiple > p["tp"] else self.model["vocab"]
        self.weights = TYPES[self.precision["weights"]]
        self.compute = TYPES[self.precision["compute"]]
        self.autocast = self.precision["autocast"]
        self.fp8 = self.precision["gemm"] == "fp8"
        self.lora = self.run["tuning"] == "lora"
        self.sharded = p["zero"] >= 2 and self.world > 1

    @property
    def tokens(self):
        """Tokens of a step over all ranks."""
        return self.run["global_batch"] * self.sequence

    def moe_layer(self, index):
        moe = self.model.get("moe")
        if not moe:
            return False
        first = moe.get("first_k_dense", 0)
        return index >= first and (index + 1 - first) % moe.get("interleave_step", 1) == 0

    def recomputed(self, index):
        """Whether full recomputation drops block `index`."""
        if self.run["recompute"] != "full" or index % self.run.get("recompute_every", 1) != 0:
            return False
        layers = self.run.get("recompute_layers")
        return layers is None or index // self.parallel["pp"] < layers

    def drops(self, module):
        """Whether selective recomputation drops `module`; the stack's choice where the run names none."""
        if self.run["recompute"] != "selective":
            return False
        chosen = self.run.get("recompute_modules", {})
        return (chosen if any(chosen.values()) else self.stack["layer"]["selective"]).get(module, False)
