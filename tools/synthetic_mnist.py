#!/usr/bin/env python3
"""synthetic_mnist.py FOLDER: makes a stand-in for MNIST in FOLDER/MNIST/raw.

For machines that cannot fetch the real one. Same files, format and image size; fewer images. Each
digit is drawn as strokes, shifted, scaled and slanted at random, with noise, so that a
small net has something to learn. The same bytes come out every time.
"""

import pathlib
import struct
import sys

import numpy as np

SIZE = 28
COUNTS = {"train": 16000, "t10k": 10000}

# Strokes between points of a grid 4 wide and 6 high, y downwards.
CORNERS = {"a": (0, 0), "b": (4, 0), "c": (0, 3), "d": (4, 3), "e": (0, 6), "f": (4, 6), "g": (2, 0), "h": (2, 6),
           "i": (1, 1), "j": (4, 4), "k": (3, 0), "l": (3, 6), "m": (0, 4)}
DIGITS = ["ab bf fe ea", "gh ig", "ab bd de ef", "ab bd cd df ef", "km mj kl",
          "ba ac cd df fe", "ba ae ef fd dc", "ab bh", "ab bf fe ea cd", "dc ca ab bf fe"]


def distance(points, start, end):
    """How far each point is from the stroke."""
    along = end - start
    t = np.clip((points - start) @ along / (along @ along), 0, 1)
    return np.linalg.norm(points - (start + t[..., None] * along), axis=-1)


def draw(digit, random):
    scale = random.uniform(2.4, 3.2, size=2)
    slant = random.uniform(-0.25, 0.25)
    offset = np.array([14.0, 14.0]) + random.uniform(-2.5, 2.5, size=2)
    width = random.uniform(0.8, 1.6)
    grid = np.stack(np.meshgrid(np.arange(SIZE), np.arange(SIZE)), axis=-1).astype(float)
    ink = np.zeros((SIZE, SIZE))
    for stroke in DIGITS[digit].split():
        ends = []
        for corner in stroke:
            x, y = np.array(CORNERS[corner]) - (2, 3) + random.normal(0, 0.15, size=2)
            ends.append(np.array([x - slant * y, y]) * scale + offset)
        ink = np.maximum(ink, np.clip(width + 0.5 - distance(grid, *ends), 0, 1))
    noisy = ink * random.uniform(0.7, 1.0) + random.normal(0, 0.04, size=ink.shape) * (ink > 0)
    return (np.clip(noisy, 0, 1) * 255).astype(np.uint8)


def write_idx(path, array):
    header = struct.pack(">HBB", 0, 0x08, array.ndim) + struct.pack(f">{array.ndim}I", *array.shape)
    path.write_bytes(header + array.tobytes())


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.splitlines()[0])
    raw = pathlib.Path(sys.argv[1], "MNIST", "raw")
    raw.mkdir(parents=True, exist_ok=True)
    random = np.random.RandomState(7)  # its numbers are the same in every version of numpy
    for part, count in COUNTS.items():
        labels = random.randint(0, 10, size=count).astype(np.uint8)
        images = np.stack([draw(digit, random) for digit in labels])
        write_idx(raw / f"{part}-images-idx3-ubyte", images)
        write_idx(raw / f"{part}-labels-idx1-ubyte", labels)


if __name__ == "__main__":
    main()
