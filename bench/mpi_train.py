"""What bench/mpi.py starts, by hand and as a job: trains the examples' net on made-up images with Horovod, and each rank
writes how long its epochs took, in seconds of the clock and of the CPU, into the folder."""

import json
import os
import sys
import time
from pathlib import Path

import horovod.torch as hvd
import torch

sys.path.append(str(Path(__file__).resolve().parents[1] / "examples"))
from digits.net import Net

FOLDER, EPOCHS, STEPS = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
BATCH = 64


def train():
    model = Net()
    optimizer = hvd.DistributedOptimizer(torch.optim.SGD(model.parameters(), lr=0.01),
                                         named_parameters=model.named_parameters())
    hvd.broadcast_parameters(model.state_dict(), root_rank=0)
    images, labels = torch.randn(BATCH, 1, 28, 28), torch.randint(10, (BATCH,))
    epochs = []
    for _ in range(EPOCHS):
        hvd.barrier()  # all begin together: what one waits for another belongs to the epoch before
        began, used = time.perf_counter(), time.process_time()
        for _ in range(STEPS):
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(images), labels).backward()
            optimizer.step()
        epochs.append((time.perf_counter() - began, time.process_time() - used))
    return epochs


torch.set_num_threads(1)
torch.manual_seed(1)
hvd.init()
partial = f"{FOLDER}/.{hvd.rank()}"
Path(partial).write_text(json.dumps(train()))
os.rename(partial, f"{FOLDER}/rank-{hvd.rank()}")
