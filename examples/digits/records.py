"""What a run leaves behind: lines in the log, TensorBoard's scalars, checkpoints to go on from."""

import os
import shutil
import sys

import torch


def say(text):
    """A line at once, in one write: nothing waits in a buffer, ranks do not mix their lines."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


class Scalars:
    """TensorBoard's scalars, as one run. With enabled=False, or where TensorBoard is not installed,
    nothing is written."""

    def __init__(self, folder, after_step=0, enabled=True):
        self.writer = None
        if not enabled:
            return
        if after_step == 0:
            shutil.rmtree(folder, ignore_errors=True)  # of an attempt that saved no checkpoint
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ImportError:
            say("TensorBoard is not installed: training goes on, no scalars are written")
            return
        # What an earlier attempt wrote after its last checkpoint is going to happen again.
        self.writer = SummaryWriter(folder, purge_step=after_step + 1 if after_step else None)

    def add(self, step, **values):
        """add(7, train_loss=0.3) is the scalar train/loss at step 7."""
        if self.writer:
            for name, value in values.items():
                self.writer.add_scalar(name.replace("_", "/"), value, step)

    def close(self):
        if self.writer:
            self.writer.close()


def write_whole(value, path):
    """Writes beside the file and renames: the old or the new one is there, never a part."""
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    partial = path + ".partial"
    with open(partial, "wb") as file:
        torch.save(value, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(partial, path)


def read_checkpoint(path):
    """What write_whole() wrote there, or None when no attempt came so far."""
    return torch.load(path, map_location="cpu") if os.path.exists(path) else None
