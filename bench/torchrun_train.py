"""What bench/torchrun.py starts, by hand and as a job: says when its first line ran, then trains a small net on made-up
data with all other ranks and says how long each epoch took."""

import time

FIRST_LINE = time.time()

import json  # noqa: E402 (what comes before the first line would be counted as the platform's)
import os  # noqa: E402
import sys  # noqa: E402

STAMPS, EPOCHS, STEPS = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
RANK = os.environ["RANK"]


def note(name, **facts):
    with open(f"{STAMPS}/.{name}", "w") as file:
        json.dump(facts, file)
    os.rename(f"{STAMPS}/.{name}", f"{STAMPS}/{name}")


def train():
    import torch
    import torch.distributed as dist
    from torch.nn.parallel import DistributedDataParallel

    dist.init_process_group("gloo")
    torch.manual_seed(1)
    model = DistributedDataParallel(torch.nn.Sequential(
        torch.nn.Linear(256, 512), torch.nn.ReLU(), torch.nn.Linear(512, 512), torch.nn.ReLU(),
        torch.nn.Linear(512, 10)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    images, labels = torch.randn(64, 256), torch.randint(10, (64,))
    epochs = []
    for _ in range(EPOCHS):
        began, used = time.perf_counter(), time.process_time()
        for _ in range(STEPS):
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(images), labels).backward()
            optimizer.step()
        epochs.append((time.perf_counter() - began, time.process_time() - used))
    dist.destroy_process_group()
    return epochs


note(f"first-{RANK}-{time.time_ns()}", time=FIRST_LINE)
if EPOCHS == 0:
    time.sleep(3600)
note(f"epochs-{RANK}", epochs=train())
