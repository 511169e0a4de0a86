"""Train the example network and write mnist.onnx: train.py --train DIR --output mnist.onnx

DIR holds train-images-idx3-ubyte and train-labels-idx1-ubyte, the 60,000 training digits (README.md says where they
come from). Needs PyTorch, which nothing else in the project does. The seed is fixed; on the same machine and PyTorch
build a second run gives the same file.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import nn
from torch.nn import functional

SEED = 20
EPOCHS = 12
BATCH = 128
SHIFT = 2


def read_idx(path: Path) -> np.ndarray:
    """An IDX file of unsigned bytes as an array."""
    data = path.read_bytes()
    rank = data[3]
    shape = np.frombuffer(data, ">u4", rank, 4).astype(int)
    return np.frombuffer(data, np.uint8, offset=4 + 4 * rank).reshape(shape)


class DigitNet(nn.Module):
    """Two 3x3 convolutions with pooling, two fully connected layers: 20 thousand weights."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 3)
        self.conv2 = nn.Conv2d(8, 16, 3)
        self.fc1 = nn.Linear(16 * 5 * 5, 48)
        self.fc2 = nn.Linear(48, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = functional.max_pool2d(functional.relu(self.conv1(x)), 2)
        x = functional.max_pool2d(functional.relu(self.conv2(x)), 2)
        return self.fc2(functional.relu(self.fc1(x.flatten(1))))


def shifted(images: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """The batch, moved by up to SHIFT pixels: the digits the network will see are not all centred."""
    dy, dx = torch.randint(0, 2 * SHIFT + 1, (2,), generator=generator).tolist()
    return functional.pad(images, [SHIFT] * 4)[:, :, dy : dy + 28, dx : dx + 28]


def train(images: torch.Tensor, labels: torch.Tensor) -> DigitNet:
    torch.manual_seed(SEED)
    torch.use_deterministic_algorithms(True)
    generator = torch.Generator().manual_seed(SEED)
    net = DigitNet()
    optimizer = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=1e-2)
    steps = EPOCHS * ((len(images) + BATCH - 1) // BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 5e-3, total_steps=steps)
    for epoch in range(EPOCHS):
        total = 0.0
        for batch in torch.randperm(len(images), generator=generator).split(BATCH):
            loss = functional.cross_entropy(net(shifted(images[batch], generator)), labels[batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            total += loss.item() * len(batch)
        print(f"epoch {epoch + 1}: loss {total / len(images):.4f}", flush=True)
    return net.eval()


def export(net: DigitNet) -> onnx.ModelProto:
    """The network as ONNX: image 1 x 1 x 28 x 28 in [0, 1] to ten probabilities."""
    weights = [numpy_helper.from_array(value.numpy(), name) for name, value in net.state_dict().items()]
    nodes = []
    source = "image"
    for i in (1, 2):
        nodes += [
            helper.make_node("Conv", [source, f"conv{i}.weight", f"conv{i}.bias"], [f"conv{i}"], f"conv{i}"),
            helper.make_node("Relu", [f"conv{i}"], [f"relu{i}"], f"relu{i}_node"),
            helper.make_node(
                "MaxPool", [f"relu{i}"], [f"pool{i}"], f"pool{i}_node", kernel_shape=[2, 2], strides=[2, 2]
            ),
        ]
        source = f"pool{i}"
    nodes += [
        helper.make_node("Flatten", ["pool2"], ["flat"], "flatten"),
        helper.make_node("Gemm", ["flat", "fc1.weight", "fc1.bias"], ["fc1"], "fc1_node", transB=1),
        helper.make_node("Relu", ["fc1"], ["relu3"], "relu3_node"),
        helper.make_node("Gemm", ["relu3", "fc2.weight", "fc2.bias"], ["fc2"], "fc2_node", transB=1),
        helper.make_node("Softmax", ["fc2"], ["probabilities"], "softmax", axis=1),
    ]
    graph = helper.make_graph(
        nodes,
        "mnist",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, [1, 1, 28, 28])],
        [helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, [1, 10])],
        weights,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model, full_check=True)
    return model


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--train", type=Path, required=True, help="directory of the training IDX files")
    parser.add_argument("--output", type=Path, required=True, help="the ONNX file to write")
    arguments = parser.parse_args()
    images = torch.from_numpy(read_idx(arguments.train / "train-images-idx3-ubyte").astype("f4") / 255)[:, None]
    labels = torch.from_numpy(read_idx(arguments.train / "train-labels-idx1-ubyte").astype("i8"))
    onnx.save(export(train(images, labels)), arguments.output)


if __name__ == "__main__":
    main()
