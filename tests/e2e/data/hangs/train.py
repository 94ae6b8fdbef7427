"""train.py KIND RANK: trains a little with gloo until that rank is in trouble, of that kind. `healthy` never is: it
saves, evaluates and loads in bursts."""

import os
import subprocess
import sys
import threading
import time

import torch
import torch.distributed as dist

kind, victim = sys.argv[1], int(sys.argv[2])
rank = int(os.environ["RANK"])
here = rank == victim
torch.set_num_threads(1)


class Samples(torch.utils.data.Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        if kind == "loader" and here and index == 40:
            time.sleep(100000)
        return torch.ones(8) * index


def deadlock():
    lock = threading.Lock()
    lock.acquire()
    lock.acquire()


def full_pipe():
    child = subprocess.Popen(["sleep", "100000"], stdin=subprocess.PIPE)
    child.stdin.write(b"x" * 1000000)


def endless_loop():
    while True:
        pass


def blocked_read():
    """What a file server that does not answer looks like."""
    with open("/volume/fifo", "rb") as stream:
        stream.read(1)


trouble = {"deadlock": deadlock, "pipe": full_pipe, "loop": endless_loop, "read": blocked_read}.get(kind)


def burst(step):
    if step % 60 == 20:
        time.sleep(1.5)  # all load something from far away
    if step % 60 == 40:
        if rank == 0:  # evaluates, and prints now and then
            for part in range(4):
                until = time.monotonic() + 0.6
                while time.monotonic() < until:
                    torch.rand(100, 100) @ torch.rand(100, 100)
                print(f"evaluation step {part + 1}/4", flush=True)
        dist.barrier()
    if step % 60 == 55:
        if rank == 0:
            with open("/tmp/checkpoint", "wb") as out:
                out.write(b"x" * 5_000_000)
                os.fsync(out.fileno())
        dist.barrier()


if kind == "rendezvous" and here:
    time.sleep(100000)
dist.init_process_group("gloo")
model = torch.nn.Linear(8, 8)
if kind != "uneven":  # where nobody waits for anybody
    model = torch.nn.parallel.DistributedDataParallel(model)
loader = torch.utils.data.DataLoader(Samples(), batch_size=4, num_workers=1 if kind == "loader" else 0)
print("rank", rank, "begins", flush=True)
step = 0
while True:
    for batch in loader:
        step += 1
        if trouble and here and step == 8:
            trouble()
        if kind in ("slow", "uneven") and here:
            time.sleep(0.4)
        if kind == "healthy":
            burst(step)
        model.zero_grad()
        model(batch).sum().backward()
        # All ranks of these two count, so that they can be compared.
        if step % 20 == 0 and (rank == 0 or kind == "healthy") or (step % 2 == 0 and kind == "uneven"):
            print("step", step, flush=True)
        time.sleep(0.03)
