# Fits a plane with DistributedDataParallel: each process has numbers of its own, all have the mean of the gradients.
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

STEPS = 100

torch.set_num_threads(1)
dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
print(f"rank {rank} of {world} has joined", flush=True)
torch.manual_seed(rank)
model = DistributedDataParallel(torch.nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(1, STEPS + 1):
    numbers = torch.rand(64, 8)
    loss = torch.nn.functional.mse_loss(model(numbers), numbers.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if rank == 0 and step % 10 == 0:
        print(f"step {step}/{STEPS} loss {loss.item():.4f}", flush=True)
dist.destroy_process_group()
