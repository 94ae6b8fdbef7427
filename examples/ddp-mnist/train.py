"""Trains a digit classifier on several processes with DistributedDataParallel, started by torchrun.

torchrun tells each process its rank; alone the script trains as one process. Rank 0 writes into the
output folder: log/ (TensorBoard), checkpoint.pt after every epoch, from which a later attempt with
the same folder goes on, and model_state_dict.pt in the end.
"""

import argparse
import os
import sys
from pathlib import Path

import torch
import torch.distributed as dist
from torch.nn import functional as F
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

sys.path.append(str(Path(__file__).resolve().parents[1]))  # where digits is, which all examples share
from digits import data
from digits.net import Net, mean_scores, score_sums
from digits.records import Scalars, read_checkpoint, say, write_whole

LINES_EVERY = 25  # batches


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    data.add_arguments(parser)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch_size", type=int, default=128, help="of all processes together")
    parser.add_argument("--out", default="runs/local", help="folder for what is written")
    parser.add_argument("--backend", default="gloo", choices=["gloo", "nccl", "mpi"])
    return parser.parse_args()


def choose_device(backend):
    if backend != "nccl":
        return torch.device("cpu")
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    return device


def evaluate(model, images, labels, device):
    """Each process takes its share of the images; the sums are added."""
    share = slice(dist.get_rank(), None, dist.get_world_size())
    sums = score_sums(model, images[share], labels[share], device)
    dist.all_reduce(sums)
    return mean_scores(sums)


def run(args):
    rank, world = dist.get_rank(), dist.get_world_size()
    say(f"rank {rank} of {world} (local rank {os.environ['LOCAL_RANK']}) is ready")
    device = choose_device(args.backend)
    training, validation, test = data.load(args)
    sampler = DistributedSampler(TensorDataset(*training))
    loader = DataLoader(sampler.dataset, batch_size=max(1, args.batch_size // world), sampler=sampler)
    steps = len(loader)

    model = Net().to(device)
    optimizer = torch.optim.Adam(model.parameters())
    checkpoint = os.path.join(args.out, "checkpoint.pt")
    done = 0
    if saved := read_checkpoint(checkpoint):
        done = saved["epoch"]
        model.load_state_dict(saved["model"])
        optimizer.load_state_dict(saved["optimizer"])
        if rank == 0:
            say(f"going on after epoch {done} from {checkpoint}")
    parallel = DistributedDataParallel(model)
    scalars = Scalars(os.path.join(args.out, "log"), after_step=done * steps, enabled=rank == 0)

    for epoch in range(done + 1, args.epochs + 1):
        optimizer.param_groups[0]["lr"] = 0.004 * 0.4 ** (epoch - 1)
        sampler.set_epoch(epoch)  # another order each time
        model.train()
        for batch, (images, labels) in enumerate(loader, start=1):
            loss = F.cross_entropy(parallel(images.to(device)), labels.to(device))
            optimizer.zero_grad()
            loss.backward()  # here DistributedDataParallel takes the mean over all processes
            optimizer.step()
            if rank == 0 and (batch % LINES_EVERY == 0 or batch == steps):
                say(f"epoch {epoch}/{args.epochs}, batch {batch:5d}/{steps} with loss: {loss:.4f}")
                scalars.add((epoch - 1) * steps + batch, train_loss=loss.item())
        loss, accuracy = evaluate(model, *validation, device)
        scalars.add(epoch * steps, val_loss=loss, val_accuracy=accuracy)
        if rank == 0:
            say(f"epoch {epoch}/{args.epochs} with val loss: {loss:.4f}, val accuracy: {accuracy:.4f}")
            write_whole({"epoch": epoch, "model": model.state_dict(),
                         "optimizer": optimizer.state_dict()}, checkpoint)

    loss, accuracy = evaluate(model, *test, device)
    scalars.add(args.epochs * steps, test_loss=loss, test_accuracy=accuracy)
    scalars.close()
    if rank == 0:
        say(f"test loss: {loss:.4f}, test accuracy: {accuracy:.4f}")
        path = os.path.join(args.out, "model_state_dict.pt")
        write_whole(model.state_dict(), path)
        say(f"model saved to {path}")


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
