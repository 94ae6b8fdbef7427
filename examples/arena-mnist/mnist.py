"""Trains a digit classifier on as many processes as the job has: a repository of one file, for jobs that fetch
their code with git.

Who is who comes from the environment: MASTER_ADDR, MASTER_PORT, RANK and WORLD_SIZE. Alone the script trains as
one process. Rank 0 writes scalars for TensorBoard into --dir.
"""

import argparse
import os

import numpy as np
import torch
import torch.distributed as dist
from torch import nn
from torch.nn import functional as F
from torch.nn.parallel import DistributedDataParallel

BATCH = 64
LINES_EVERY = 10  # batches


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--backend", default="gloo", choices=["gloo", "nccl", "mpi"])
    parser.add_argument("--dir", default="logs", help="folder for TensorBoard's scalars")
    parser.add_argument("--data", default="data", help="folder that holds MNIST/raw")
    return parser.parse_args()


def read_idx(path):
    """An idx file of bytes: two zero bytes, the element type, the number of dimensions, their sizes."""
    with open(path, "rb") as file:
        dimensions = file.read(4)[3]
        shape = np.frombuffer(file.read(4 * dimensions), dtype=">u4").astype(int)
        return torch.from_numpy(np.frombuffer(file.read(), dtype=np.uint8).reshape(shape).copy())


def load(folder, part):
    raw = os.path.join(folder, "MNIST", "raw")
    images = read_idx(os.path.join(raw, f"{part}-images-idx3-ubyte"))
    labels = read_idx(os.path.join(raw, f"{part}-labels-idx1-ubyte"))
    return images.unsqueeze(1).float().div(255).sub(0.13).div(0.31), labels.long()


def make_model():
    return nn.Sequential(
        nn.Conv2d(1, 8, kernel_size=5, padding=2), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(8, 16, kernel_size=5, padding=2), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(16 * 7 * 7, 64), nn.ReLU(), nn.Linear(64, 10))


def train(model, optimizer, images, labels, epoch, device, scalars):
    """One pass over this process's share of the images."""
    model.train()
    rank, world = dist.get_rank(), dist.get_world_size()
    order = torch.randperm(len(images), generator=torch.Generator().manual_seed(epoch))
    # All processes take the same number of batches: each waits for the others in every one.
    batches = order[:len(order) // (BATCH * world) * BATCH * world][rank::world].split(BATCH)
    for number, chosen in enumerate(batches):
        loss = F.cross_entropy(model(images[chosen].to(device)), labels[chosen].to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if number % LINES_EVERY == 0:
            seen, share = number * BATCH, len(batches) * BATCH
            print(f"Train Epoch: {epoch} [{seen}/{share} ({100 * seen // share}%)]\tloss={loss:.4f}", flush=True)
            if scalars:
                scalars.add_scalar("loss", loss.item(), (epoch - 1) * len(batches) + number)


@torch.no_grad()
def accuracy(model, images, labels, device):
    model.eval()
    guesses = torch.cat([model(some.to(device)).argmax(1).cpu() for some in images.split(500)])
    return (guesses == labels).float().mean().item()


def main():
    args = parse_arguments()
    for name, alone in {"RANK": "0", "WORLD_SIZE": "1", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29500"}.items():
        os.environ.setdefault(name, alone)
    print(f"WORLD_SIZE: {os.environ['WORLD_SIZE']}, CURRENT_RANK: {os.environ['RANK']}")
    print(f"args: {args}", flush=True)
    device = torch.device("cuda" if args.backend == "nccl" else "cpu")
    torch.set_num_threads(1)  # more threads than cores make all processes crawl
    torch.manual_seed(1)
    dist.init_process_group(args.backend)
    scalars = None
    if dist.get_rank() == 0:
        from torch.utils.tensorboard import SummaryWriter
        scalars = SummaryWriter(args.dir)
    model = DistributedDataParallel(make_model().to(device))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.002)
    images, labels = load(args.data, "train")
    for epoch in range(1, args.epochs + 1):
        train(model, optimizer, images, labels, epoch, device, scalars)
        reached = accuracy(model, *load(args.data, "t10k"), device)
        print(f"\naccuracy={reached:.4f}\n", flush=True)
        if scalars:
            scalars.add_scalar("accuracy", reached, epoch)
    if scalars:
        scalars.close()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
