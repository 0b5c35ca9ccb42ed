"""Times layers with PyTorch for benches/network.rs: reads a kind and sizes a line, writes the best time in seconds.

    python benches/network_torch.py THREADS
"""

import sys
import time

import torch
from torch import nn

torch.set_num_threads(int(sys.argv[1]))


def layer(kind, inputs, outputs, taps, stride, dilation, frames):
    if kind == "attention":
        query = torch.randn(1, taps, frames, inputs // taps)
        return lambda: nn.functional.scaled_dot_product_attention(query, query, query)
    if kind == "lstm":
        lstm, x = nn.LSTM(inputs, outputs), torch.randn(frames, 1, inputs)
        return lambda: lstm(x)
    x = torch.randn(1, inputs, frames)
    if kind == "transposed":
        module = nn.ConvTranspose1d(inputs, outputs, taps, stride)
    else:
        module = nn.Conv1d(inputs, outputs, taps, stride, dilation=dilation)
    return lambda: module(x)


with torch.inference_mode():
    for line in sys.stdin:
        kind, *sizes = line.split()
        run = layer(kind, *map(int, sizes))
        best, runs, begun = float("inf"), 0, time.perf_counter()
        while runs < 5 or time.perf_counter() - begun < 0.2:
            started = time.perf_counter()
            run()
            best, runs = min(best, time.perf_counter() - started), runs + 1
        print(best, flush=True)
