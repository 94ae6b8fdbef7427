"""A parameter server and workers over RPC: 5 epochs of 1500 steps; now and then the server takes
the mean of the workers' weights."""

import argparse
import os
import shutil
import sys
import threading

import numpy as np
import torch
import torch.distributed.rpc as rpc
from torch import nn
from torch.nn import functional as F

EPOCHS, STEPS, LINES_EVERY, MEAN_EVERY, BATCH = 5, 1500, 500, 250, 1
LOCK, ROUND, MODELS = threading.Lock(), {}, {}
MEAN = torch.futures.Future()


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


# In the server's process:


def place(rank):
    say(f"Worker with rank {rank} is placed on cpu")


@rpc.functions.async_execution
def mean(rank, workers, weights):
    global MEAN
    with LOCK:
        ROUND[rank], promise = weights, MEAN
        if len(ROUND) == workers:
            together = {name: torch.stack([one[name] for one in ROUND.values()]).mean(0) for name in weights}
            ROUND.clear()
            MEAN = torch.futures.Future()
            promise.set_result(together)
        return promise


def keep(rank, weights):
    MODELS[rank] = weights


# In a worker's:


def work(rank, workers, log_dir):
    rpc.rpc_sync("server", place, (rank,))
    images, labels = load("train", 0, STEPS * BATCH * workers)
    images, labels = images[rank - 1::workers], labels[rank - 1::workers]
    validation = load("train", STEPS * BATCH * workers, 500)
    model = nn.Linear(49, 10)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    folder = os.path.join(log_dir, f"worker_{rank}")
    shutil.rmtree(folder, ignore_errors=True)
    from torch.utils.tensorboard import SummaryWriter  # dear: only who writes loads it
    writer = SummaryWriter(folder)
    for epoch in range(1, EPOCHS + 1):
        for step in range(1, STEPS + 1):
            chosen = slice((step - 1) * BATCH, step * BATCH)
            loss = F.cross_entropy(model(images[chosen]), labels[chosen])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % MEAN_EVERY == 0:
                model.load_state_dict(rpc.rpc_sync("server", mean, (rank, workers, model.state_dict())))
            if step % LINES_EVERY == 0:
                say(f"epoch {epoch}/{EPOCHS}, batch {step:5d}/{STEPS} with loss: {loss:.4f}")
                writer.add_scalar("train/loss", loss.item(), (epoch - 1) * STEPS + step)
        loss, accuracy = evaluate(model, *validation)
        say(f"epoch {epoch}/{EPOCHS} with val loss: {loss:.4f}, val accuracy: {accuracy:.4f}")
        writer.add_scalar("val/loss", loss, epoch * STEPS)
        writer.add_scalar("val/accuracy", accuracy, epoch * STEPS)
    loss, accuracy = evaluate(model, *load("t10k", 0, 500))
    say(f"test loss: {loss:.4f}, test accuracy: {accuracy:.4f}")
    writer.add_scalar("test/loss", loss, EPOCHS * STEPS)
    writer.add_scalar("test/accuracy", accuracy, EPOCHS * STEPS)
    writer.close()
    rpc.rpc_sync("server", keep, (rank, model.state_dict()))


parser = argparse.ArgumentParser()
parser.add_argument("--log_dir", default="log")
parser.add_argument("--save_path", default="model_state_dict.pt")
parser.add_argument("--no_cuda", action="store_true")
args = parser.parse_args()
torch.set_num_threads(1)
torch.manual_seed(1)
rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
if rank == 0:
    say("Server initializing RPC")
    rpc.init_rpc("server", rank=0, world_size=world)
else:
    say(f"Worker with rank {rank} initializing RPC")
    rpc.init_rpc(f"worker_{rank}", rank=rank, world_size=world)
    work(rank, world - 1, args.log_dir)
rpc.shutdown()
if rank == 0:
    for worker, weights in MODELS.items():
        torch.save(weights, f"{args.save_path}.{worker}")
    say("RPC shut down")
else:
    say(f"Worker with rank {rank} done")
