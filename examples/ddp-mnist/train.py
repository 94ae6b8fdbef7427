"""Trains a small digit classifier on several processes with DistributedDataParallel.

Started by torchrun, which tells each process its rank; alone it trains as one process.
The data folder holds MNIST's four idx files in MNIST/raw. Rank 0 writes into the output folder:
log/ (TensorBoard) and model_state_dict.pt (after every epoch, so that a reader never sees half).
"""

import argparse
import os
import shutil
import sys

import numpy as np
import torch
import torch.distributed as dist
from torch import nn
from torch.nn import functional as F
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

VALIDATION_SAMPLES = 2000
TEST_SAMPLES = 10000
LINES_EVERY = 25  # batches


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--samples", type=int, default=12000, help="training images to use")
    parser.add_argument("--batch_size", type=int, default=128, help="of all processes together")
    parser.add_argument("--data", default="data", help="folder that holds MNIST/raw")
    parser.add_argument("--out", default="runs/local", help="folder for the logs and the model")
    parser.add_argument("--backend", default="gloo", choices=["gloo", "nccl", "mpi"])
    return parser.parse_args()


def say(text):
    """A line at once, in one write: nothing waits in a buffer, ranks do not mix their lines."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


# ---- data -------------------------------------------------------------------------------------


def read_idx(path):
    """An idx file: two zero bytes, the element type, the number of dimensions, their sizes."""
    with open(path, "rb") as file:
        zero, kind, dimensions = np.frombuffer(file.read(4), dtype=">u2,u1,u1")[0]
        if zero != 0 or kind != 0x08:
            raise ValueError(f"{path} is not an idx file of bytes")
        shape = np.frombuffer(file.read(4 * dimensions), dtype=">u4")
        offset = file.tell()
    return np.memmap(path, dtype=np.uint8, mode="r", offset=offset, shape=tuple(map(int, shape)))


def load(folder, part, start, count):
    """Images as floats around zero and their labels. Reads only the images asked for."""
    raw = os.path.join(folder, "MNIST", "raw")
    images = read_idx(os.path.join(raw, f"{part}-images-idx3-ubyte"))[start : start + count]
    labels = read_idx(os.path.join(raw, f"{part}-labels-idx1-ubyte"))[start : start + count]
    if len(images) == 0:
        raise SystemExit(f"{raw} has no {part} images from number {start} on: use fewer --samples")
    pixels = torch.from_numpy(np.array(images)).unsqueeze(1).float().div(255).sub(0.13).div(0.31)
    return TensorDataset(pixels, torch.from_numpy(np.array(labels)).long())


# ---- model ------------------------------------------------------------------------------------


class Net(nn.Module):
    """Two convolutions and two layers: about 50,000 weights, a few seconds of CPU an epoch."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, kernel_size=5, padding=2)
        self.conv2 = nn.Conv2d(8, 16, kernel_size=5, padding=2)
        self.hidden = nn.Linear(16 * 7 * 7, 64)
        self.output = nn.Linear(64, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        return self.output(F.relu(self.hidden(x.flatten(1))))


# ---- training ---------------------------------------------------------------------------------


def train_epoch(model, loader, optimizer, schedule, device, after_batch):
    model.train()
    for batch, (images, labels) in enumerate(loader, start=1):
        loss = F.cross_entropy(model(images.to(device)), labels.to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        after_batch(batch, loss)


@torch.no_grad()
def evaluate(model, dataset, device):
    """Mean loss and accuracy: each process takes its share of the images, the sums are added."""
    model.eval()
    rank, world = dist.get_rank(), dist.get_world_size()
    images, labels = (tensor[rank::world] for tensor in dataset.tensors)
    sums = torch.zeros(3, dtype=torch.float64, device=device)  # loss, correct, images
    for some, wanted in zip(images.split(500), labels.split(500)):
        scores, wanted = model(some.to(device)), wanted.to(device)
        sums[0] += F.cross_entropy(scores, wanted, reduction="sum")
        sums[1] += (scores.argmax(1) == wanted).sum()
        sums[2] += len(wanted)
    dist.all_reduce(sums)
    loss, correct, count = sums.tolist()
    return loss / count, correct / count


# ---- what rank 0 leaves behind ------------------------------------------------------------------


class Scalars:
    """TensorBoard's scalars; where TensorBoard is not installed, or on other ranks, nothing."""

    def __init__(self, folder, enabled):
        self.writer = None
        if not enabled:
            return
        shutil.rmtree(folder, ignore_errors=True)  # of an attempt that did not finish
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ImportError:
            say("TensorBoard is not installed: training goes on, no scalars are written")
            return
        self.writer = SummaryWriter(folder)

    def add(self, tag, value, step):
        if self.writer:
            self.writer.add_scalar(tag, value, step)

    def close(self):
        if self.writer:
            self.writer.close()


def save(model, path):
    """Writes beside the file and renames: the old or the new one is there, never a part."""
    partial = path + ".partial"
    with open(partial, "wb") as file:
        torch.save(model.state_dict(), file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(partial, path)


# ---- all together -----------------------------------------------------------------------------


def run(args):
    rank, world = dist.get_rank(), dist.get_world_size()
    local_rank = int(os.environ["LOCAL_RANK"])
    say(f"rank {rank} of {world} (local rank {local_rank}) is ready")
    first = rank == 0
    device = torch.device("cpu")
    if args.backend == "nccl":
        device = torch.device("cuda", local_rank)
        torch.cuda.set_device(device)

    training = load(args.data, "train", 0, args.samples)
    validation = load(args.data, "train", args.samples, VALIDATION_SAMPLES)
    test = load(args.data, "t10k", 0, TEST_SAMPLES)
    sampler = DistributedSampler(training)
    loader = DataLoader(training, batch_size=max(1, args.batch_size // world), sampler=sampler)

    model = DistributedDataParallel(Net().to(device))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.001)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, max_lr=0.006, total_steps=args.epochs * len(loader)
    )
    scalars = Scalars(os.path.join(args.out, "log"), enabled=first)
    checkpoint = os.path.join(os.path.abspath(args.out), "model_state_dict.pt")
    if first:
        os.makedirs(args.out, exist_ok=True)

    for epoch in range(1, args.epochs + 1):

        def after_batch(batch, loss):
            if not first or (batch % LINES_EVERY and batch != len(loader)):
                return
            say(f"epoch {epoch}/{args.epochs}, batch {batch:5d}/{len(loader)} with loss: {loss:.4f}")
            scalars.add("train/loss", loss.item(), (epoch - 1) * len(loader) + batch)

        sampler.set_epoch(epoch)  # another order each time
        train_epoch(model, loader, optimizer, schedule, device, after_batch)
        loss, accuracy = evaluate(model.module, validation, device)
        scalars.add("val/loss", loss, epoch * len(loader))
        scalars.add("val/accuracy", accuracy, epoch * len(loader))
        if first:
            say(f"epoch {epoch}/{args.epochs} with val loss: {loss:.4f}, val accuracy: {accuracy:.4f}")
            save(model.module, checkpoint)

    loss, accuracy = evaluate(model.module, test, device)
    scalars.add("test/loss", loss, args.epochs * len(loader))
    scalars.add("test/accuracy", accuracy, args.epochs * len(loader))
    scalars.close()
    if first:
        say(f"test loss: {loss:.4f}, test accuracy: {accuracy:.4f}")
        say(f"model saved to {checkpoint}")


def main():
    args = parse_arguments()
    for name, alone in {"RANK": "0", "WORLD_SIZE": "1", "LOCAL_RANK": "0",
                        "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29500"}.items():
        os.environ.setdefault(name, alone)
    # More threads than cores make all processes crawl: one each, unless the platform says more.
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
    torch.manual_seed(1)
    dist.init_process_group(args.backend)
    run(args)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
