"""What `trainyard demo` runs where PyTorch is: processes learn together which points lie in a circle."""
import sys

import torch
import torch.distributed as dist
from torch import nn

torch.set_num_threads(1)
steps = int(sys.argv[1])
dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
print(f"process {rank} of {world} has joined", flush=True)


def points(count, generator):
    where = torch.rand(count, 2, generator=generator) * 2 - 1
    return where, ((where**2).sum(1) < 0.5).float()


torch.manual_seed(0)
model = nn.parallel.DistributedDataParallel(
    nn.Sequential(nn.Linear(2, 64), nn.Tanh(), nn.Linear(64, 1), nn.Flatten(0)))
optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
own = torch.Generator().manual_seed(rank + 1)  # each process sees other points
test, answers = points(2000, torch.Generator().manual_seed(99))
for step in range(1, steps + 1):
    where, inside = points(128, own)
    loss = nn.functional.binary_cross_entropy_with_logits(model(where), inside)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if rank == 0 and (step % max(1, steps // 30) == 0 or step == steps):
        with torch.no_grad():
            right = ((model.module(test) > 0) == (answers > 0.5)).float().mean().item()
        print(f"step {step}/{steps} loss {loss.item():.3f} accuracy {right:.1%}", flush=True)
dist.barrier()
dist.destroy_process_group()
