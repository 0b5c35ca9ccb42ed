"""The noise of tests/renderer/signal.rs, and how results are kept: shared by space.py and modulation.py."""

import numpy


def noise(channels, frames):
    """Channels of white noise within -0.5..0.5, as f32."""
    mask = (1 << 64) - 1
    state = 0x9E3779B97F4A7C15
    out = numpy.empty(channels * frames, dtype=numpy.float32)
    for index in range(channels * frames):
        state ^= (state << 13) & mask
        state ^= state >> 7
        state ^= (state << 17) & mask
        out[index] = numpy.float32((state >> 40) / (1 << 24)) - numpy.float32(0.5)
    return out.reshape(channels, frames)


def kept(chain, rate, frames, output, step):
    """Every `step`-th frame of an output, with the chain that should give it."""
    output = numpy.atleast_2d(output)
    values = [[round(float(value), 8) for value in channel[::step]] for channel in output]
    rms = [float(numpy.sqrt(numpy.mean(channel**2))) for channel in output]
    return {"chain": chain, "rate": rate, "frames": frames, "step": step, "rms": rms, "values": values}
