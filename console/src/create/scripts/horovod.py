# Fits a plane with Horovod: the optimizer takes the mean of all processes' gradients.
import horovod.torch as hvd
import torch

STEPS = 100

hvd.init()
torch.set_num_threads(1)
torch.manual_seed(hvd.rank())
model = torch.nn.Linear(8, 1)
optimizer = hvd.DistributedOptimizer(
    torch.optim.SGD(model.parameters(), lr=0.1), named_parameters=model.named_parameters()
)
hvd.broadcast_parameters(model.state_dict(), root_rank=0)
for step in range(1, STEPS + 1):
    numbers = torch.rand(64, 8)
    loss = torch.nn.functional.mse_loss(model(numbers), numbers.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if hvd.rank() == 0 and step % 10 == 0:
        print(f"step {step}/{STEPS} of {hvd.size()} processes, loss {loss.item():.4f}", flush=True)
