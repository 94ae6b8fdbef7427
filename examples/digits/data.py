"""MNIST from its four idx files, without torchvision: only the images asked for are read."""

import os

import numpy as np
import torch

VALIDATION_SAMPLES = 2000
TEST_SAMPLES = 10000


def add_arguments(parser):
    parser.add_argument("--data", default="data", help="folder that holds MNIST/raw")
    parser.add_argument("--samples", type=int, default=12000, help="training images to use")


def load(args, share=(0, 1)):
    """Training, validation and test images with their labels. A share (i, n) is every n-th of each,
    from number i on."""
    return (
        read(args.data, "train", 0, args.samples, share),
        read(args.data, "train", args.samples, VALIDATION_SAMPLES, share),
        read(args.data, "t10k", 0, TEST_SAMPLES, share),
    )


def read(folder, part, start, count, share):
    """Images as floats around zero, and their labels."""
    raw = os.path.join(folder, "MNIST", "raw")
    first, step = share
    wanted = slice(start + first, start + count, step)
    images = read_idx(os.path.join(raw, f"{part}-images-idx3-ubyte"))[wanted]
    labels = read_idx(os.path.join(raw, f"{part}-labels-idx1-ubyte"))[wanted]
    if len(images) == 0:
        raise SystemExit(f"{raw} has no {part} images from number {start} on: use fewer --samples")
    pixels = torch.from_numpy(np.array(images)).unsqueeze(1).float().div(255).sub(0.13).div(0.31)
    return pixels, torch.from_numpy(np.array(labels)).long()


def read_idx(path):
    """An idx file: two zero bytes, the element type, the number of dimensions, their sizes."""
    if not os.path.exists(path):
        raise SystemExit(f"{path} is missing: --data names the folder that holds MNIST/raw")
    with open(path, "rb") as file:
        zero, kind, dimensions = np.frombuffer(file.read(4), dtype=">u2,u1,u1")[0]
        if zero != 0 or kind != 0x08:
            raise SystemExit(f"{path} is not an idx file of bytes")
        shape = np.frombuffer(file.read(4 * dimensions), dtype=">u4")
        offset = file.tell()
    return np.memmap(path, dtype=np.uint8, mode="r", offset=offset, shape=tuple(map(int, shape)))
