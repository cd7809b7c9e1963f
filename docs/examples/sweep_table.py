#!/usr/bin/env python3
"""A sweep as a table of CSV, as a notebook would make it: sweep_table.py [FILE]

In a notebook, ``pandas.DataFrame(table)`` takes the rows as they are, and ``.plot(x="seq", y="memory.device_bytes")``
draws them.
"""

import csv
import sys

import traincost

COLUMNS = ["seq", "micro-batch", "fits", "memory.device_bytes", "step.time_s", "throughput.mfu"]

table = traincost.sweep(
    {"seq": [2048, 4096, 8192], "micro_batch": [1, 2]},
    model="llama-3.1-8b",
    gpu="h100",
    gpus=8,
    global_batch=64,
    zero=1,
)

with open(sys.argv[1], "w", newline="") if len(sys.argv) > 1 else sys.stdout as out:
    writer = csv.DictWriter(out, COLUMNS, extrasaction="ignore")
    writer.writeheader()
    writer.writerows(table)
