"""Horovod on the processes of mpirun: 10 epochs of 375 steps. Rank 0 tells how all of them fare."""

import argparse
import os
import shutil
import sys

import horovod.torch as hvd
import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

EPOCHS, STEPS, LINES_EVERY, BATCH = 10, 375, 125, 2
MEET_EVERY = 25  # steps whose gradients are gathered: meeting costs more than these steps do
FOLDER = os.path.dirname(os.path.abspath(__file__))


def say(text):
    if hvd.rank() == 0:
        sys.stdout.write(text + "\n")
        sys.stdout.flush()


def load(part, first, count):
    raw = os.path.join(FOLDER, "data", "MNIST", "raw", part)
    images = np.fromfile(f"{raw}-images-idx3-ubyte", np.uint8, count * 784, offset=16 + first * 784)
    labels = np.fromfile(f"{raw}-labels-idx1-ubyte", np.uint8, count, offset=8 + first)
    pixels = torch.from_numpy(images).float().div(255).reshape(-1, 1, 28, 28)
    return F.avg_pool2d(pixels, 4).flatten(1), torch.from_numpy(labels).long()


@torch.no_grad()
def evaluate(model, images, labels):
    """Each scores its share; the mean is everybody's."""
    scores = model(images[hvd.rank()::hvd.size()])
    wanted = labels[hvd.rank()::hvd.size()]
    mine = torch.tensor([F.cross_entropy(scores, wanted), (scores.argmax(1) == wanted).float().mean()])
    return hvd.allreduce(mine).tolist()


parser = argparse.ArgumentParser()
parser.add_argument("--log_dir", default="log")
parser.add_argument("--no_cuda", action="store_true")
args = parser.parse_args()

hvd.init()
torch.set_num_threads(1)
torch.manual_seed(1)
images, labels = load("train", 0, STEPS * BATCH * hvd.size())
images, labels = images[hvd.rank()::hvd.size()], labels[hvd.rank()::hvd.size()]
validation = load("train", STEPS * BATCH * hvd.size(), 500)
model = nn.Linear(49, 10)
optimizer = hvd.DistributedOptimizer(torch.optim.SGD(model.parameters(), lr=0.5),
                                     named_parameters=model.named_parameters(),
                                     backward_passes_per_step=MEET_EVERY)
hvd.broadcast_parameters(model.state_dict(), root_rank=0)
hvd.broadcast_optimizer_state(optimizer, root_rank=0)
writer = None
if hvd.rank() == 0:
    shutil.rmtree(args.log_dir, ignore_errors=True)
    from torch.utils.tensorboard import SummaryWriter  # dear: only who writes loads it
    writer = SummaryWriter(args.log_dir)

for epoch in range(1, EPOCHS + 1):
    for step in range(1, STEPS + 1):
        chosen = slice((step - 1) * BATCH, step * BATCH)
        loss = F.cross_entropy(model(images[chosen]), labels[chosen])
        (loss / MEET_EVERY).backward()
        if step % MEET_EVERY == 0:
            optimizer.step()
            optimizer.zero_grad()
        if step % LINES_EVERY == 0:
            say(f"epoch {epoch}/{EPOCHS}, batch {step:5d}/{STEPS} with loss: {loss:.4f}")
            if writer:
                writer.add_scalar("train/loss", loss.item(), (epoch - 1) * STEPS + step)
    loss, accuracy = evaluate(model, *validation)
    say(f"epoch {epoch}/{EPOCHS} with val loss: {loss:.4f}, val accuracy: {accuracy:.4f}")
    if writer:
        writer.add_scalar("val/loss", loss, epoch * STEPS)
        writer.add_scalar("val/accuracy", accuracy, epoch * STEPS)

loss, accuracy = evaluate(model, *load("t10k", 0, 500))
say(f"test loss: {loss:.4f}, test accuracy: {accuracy:.4f}")
if writer:
    writer.add_scalar("test/loss", loss, EPOCHS * STEPS)
    writer.add_scalar("test/accuracy", accuracy, EPOCHS * STEPS)
    writer.close()
