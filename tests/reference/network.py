"""Reference outputs of single operations of networks by PyTorch, for tests/neural/network/reference.rs.

    python tests/reference/network.py > tests/reference/network.json

Inputs and weights are random; all is in single precision, computed in double.
"""

import json

import numpy
import torch
from torch.nn import functional

torch.manual_seed(19)
cases = []


def numbers(*shape):
    return torch.randn(*shape).round(decimals=3)


def case(kind, x, y, weights, **settings):
    flat = lambda value: {"shape": list(value.shape), "values": [float(f"{v:.8g}") for v in value.flatten().tolist()]}
    weights = {name: flat(value) for name, value in weights.items()}
    cases.append({"kind": kind, "x": flat(x), "y": flat(y), "weights": weights, "settings": settings})


def convolution(inputs, outputs, taps, frames, stride=1, dilation=1, groups=1):
    x, w, b = numbers(1, inputs, frames), numbers(outputs, inputs // groups, taps), numbers(outputs)
    y = functional.conv1d(x.double(), w.double(), b.double(), stride, 0, dilation, groups)
    weights = {"weights": w[:, :, None, :], "bias": b}
    case("convolution", x[0, :, None], y[0, :, None], weights, stride=[1, stride], dilation=[1, dilation],
         groups=groups, row_padding=0)


def convolution_2d(inputs, outputs, taps, rows, frames, stride, dilation, groups, row_padding):
    x, w, b = numbers(1, inputs, rows, frames), numbers(outputs, inputs // groups, *taps), numbers(outputs)
    y = functional.conv2d(x.double(), w.double(), b.double(), stride, (row_padding, 0), dilation, groups)
    case("convolution", x[0], y[0], {"weights": w, "bias": b}, stride=stride, dilation=dilation, groups=groups,
         row_padding=row_padding)


def transposed(inputs, outputs, taps, frames, stride, groups):
    x, w, b = numbers(1, inputs, frames), numbers(inputs, outputs // groups, taps), numbers(outputs)
    y = functional.conv_transpose1d(x.double(), w.double(), b.double(), stride, 0, 0, groups)
    case("transposed", x[0, :, None], y[0, :, None], {"weights": w, "bias": b}, stride=stride, groups=groups)


def transposed_rows(inputs, outputs, taps, rows, frames, stride, groups, cut):
    x, w, b = numbers(1, inputs, rows, frames), numbers(inputs, outputs // groups, taps), numbers(outputs)
    y = functional.conv_transpose2d(x.double(), w.double()[..., None], b.double(), (stride, 1), 0, 0, groups)
    y = y[:, :, cut[0]:y.shape[2] - cut[1]]
    case("transposed", x[0], y[0], {"weights": w, "bias": b}, stride=stride, groups=groups, along_rows=1, cut=cut)


convolution(3, 5, 4, 20)
convolution(6, 4, 3, 23, stride=2)
convolution(4, 6, 3, 25, dilation=3)
convolution(6, 9, 5, 17, stride=3, dilation=2, groups=3)
convolution(8, 8, 3, 12, groups=8)
convolution_2d(3, 4, (3, 2), 7, 9, [2, 1], [1, 2], 1, 1)
convolution_2d(4, 6, (2, 3), 6, 10, [1, 3], [2, 1], 2, 0)
transposed(4, 3, 6, 8, 3, 1)
transposed(4, 6, 5, 7, 2, 2)

lstm = torch.nn.LSTM(5, 6).double()
with torch.no_grad():
    for parameter in lstm.parameters():
        parameter.copy_(parameter.float().double())
x = numbers(11, 1, 5)
y = lstm(x.double())[0]
case("lstm", x[:, 0].T[:, None], y[:, 0].T[:, None], {
    "input_weights": lstm.weight_ih_l0.detach(),
    "hidden_weights": lstm.weight_hh_l0.detach(),
    "bias": (lstm.bias_ih_l0 + lstm.bias_hh_l0).detach(),
})

x, gain, bias = numbers(1, 6, 14), numbers(6), numbers(6)
weights = {"gain": gain, "bias": bias}
y = functional.group_norm(x.double(), 3, gain.double(), bias.double())
case("group_norm", x[0, :, None], y[0, :, None], weights, groups=3)
y = functional.layer_norm(x.double().mT, (6,), gain.double(), bias.double()).mT
case("layer_norm", x[0, :, None], y[0, :, None], weights)
y = functional.rms_norm(x.double().mT, (6,), gain.double(), 1e-5).mT
case("rms_norm", x[0, :, None], y[0, :, None], {"gain": gain})

x = numbers(2, 30) * 2
for name in ("gelu", "elu", "silu", "relu", "tanh"):
    case(name, x[:, None], getattr(functional if name != "tanh" else torch, name)(x.double())[:, None], {})
y = functional.glu(x.double(), 0)
case("glu", x[:, None], y[:, None], {})
y = functional.normalize(x.double(), dim=0)
case("unit_length", x[:, None], y[:, None], {})

query, keys, values = numbers(1, 4, 9, 8), numbers(1, 2, 9, 8), numbers(1, 2, 9, 8)
for window in (None, 9):
    y = functional.scaled_dot_product_attention(
        query.double(), keys.double(), values.double(), is_causal=window is not None, enable_gqa=True)
    channels = lambda value: value[0].transpose(1, 2).reshape(-1, 9)[:, None]
    case("attention", channels(query), channels(y), {"keys": channels(keys), "values": channels(values)},
         heads=4, key_heads=2, window=window)

transposed_rows(4, 3, 8, 7, 5, 4, 1, [2, 2])
transposed_rows(6, 4, 5, 6, 9, 3, 2, [0, 1])

versions = {"torch": torch.__version__, "numpy": numpy.__version__}
print(json.dumps({"versions": versions, "cases": cases}, separators=(",", ":")))
