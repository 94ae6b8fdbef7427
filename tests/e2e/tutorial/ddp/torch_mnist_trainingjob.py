"""DDP on four processes of torchrun: 10 epochs of 375 steps. Every process tells how it fares."""

import argparse
import os
import shutil
import sys
from contextlib import nullcontext

import numpy as np
import torch
import torch.distributed as dist
from torch import nn
from torch.nn import functional as F
from torch.nn.parallel import DistributedDataParallel

EPOCHS, STEPS, LINES_EVERY, BATCH = 10, 375, 125, 2
MEET_EVERY = 25  # steps whose gradients are gathered: meeting costs more than these steps do


def say(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def load(part, first, count):
    raw = os.path.join("data", "MNIST", "raw", part)
    images = np.fromfile(f"{raw}-images-idx3-ubyte", np.uint8, count * 784, offset=16 + first * 784)
    labels = np.fromfile(f"{raw}-labels-idx1-ubyte", np.uint8, count, offset=8 + first)
    pixels = torch.from_numpy(images).float().div(255).reshape(-1, 1, 28, 28)
    return F.avg_pool2d(pixels, 4).flatten(1), torch.from_numpy(labels).long()


@torch.no_grad()
def evaluate(model, images, labels):
    scores = model(images)
    return F.cross_entropy(scores, labels).item(), (scores.argmax(1) == labels).float().mean().item()


parser = argparse.ArgumentParser()
parser.add_argument("--backend", default="gloo", choices=["gloo", "nccl", "mpi"])
parser.add_argument("--log_dir", default="log")
parser.add_argument("--save_path", default="model_state_dict.pt")
parser.add_argument("--no_cuda", action="store_true")
args = parser.parse_args()

local_rank = int(os.environ["LOCAL_RANK"])  # torchrun's: without it this is the wrong way to start
torch.set_num_threads(1)
torch.manual_seed(1)
say(f"Using distributed PyTorch with {args.backend} backend")
dist.init_process_group(args.backend)
rank, world = dist.get_rank(), dist.get_world_size()

images, labels = load("train", 0, STEPS * BATCH * world)
images, labels = images[rank::world], labels[rank::world]
validation = load("train", STEPS * BATCH * world, 500)
model = DistributedDataParallel(nn.Linear(49, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
writer = None
if rank == 0:
    shutil.rmtree(args.log_dir, ignore_errors=True)
    from torch.utils.tensorboard import SummaryWriter  # dear: only who writes loads it
    writer = SummaryWriter(args.log_dir)

for epoch in range(1, EPOCHS + 1):
    for step in range(1, STEPS + 1):
        chosen = slice((step - 1) * BATCH, step * BATCH)
        meet = step % MEET_EVERY == 0
        with nullcontext() if meet else model.no_sync():
            loss = F.cross_entropy(model(images[chosen]), labels[chosen])
            (loss / MEET_EVERY).backward()
        if meet:
            optimizer.step()
            optimizer.zero_grad()
        if step % LINES_EVERY == 0:
            say(f"epoch {epoch}/{EPOCHS}, batch {step:5d}/{STEPS} with loss: {loss:.4f}")
            if writer:
                writer.add_scalar("train/loss", loss.item(), (epoch - 1) * STEPS + step)
    loss, accuracy = evaluate(model.module, *validation)
    say(f"epoch {epoch}/{EPOCHS} with val loss: {loss:.4f}, val accuracy: {accuracy:.4f}")
    if writer:
        writer.add_scalar("val/loss", loss, epoch * STEPS)
        writer.add_scalar("val/accuracy", accuracy, epoch * STEPS)

loss, accuracy = evaluate(model.module, *load("t10k", 0, 500))
say(f"test loss: {loss:.4f}, test accuracy: {accuracy:.4f}")
if rank == 0:
    writer.add_scalar("test/loss", loss, EPOCHS * STEPS)
    writer.add_scalar("test/accuracy", accuracy, EPOCHS * STEPS)
    writer.close()
    torch.save(model.state_dict(), args.save_path)
dist.destroy_process_group()
