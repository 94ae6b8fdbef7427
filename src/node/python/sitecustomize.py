# What the node gives the Python programs of its containers, without a change to their code. Costs
# next to nothing before it is needed, and must never keep a program from starting.

# The node may ask a process where it is: SIGURG, which means nothing to whoever does not listen, makes
# faulthandler write the stacks of all threads into a file in memory, which the node reads
# (node/linux/python_stacks.h).
try:
    import faulthandler
    import fcntl
    import os

    _file = os.memfd_create("trainyard-stacks")
    fcntl.fcntl(_file, fcntl.F_SETFL, os.O_APPEND)
    faulthandler.register(23, file=_file, all_threads=True)
except Exception:
    pass  # an older Python, or no room for another file: its stacks are the kernel's


class _TorchrunMender:
    """torchrun of PyTorch 1.13 dies at its start under Python 3.11, which no longer counts 0 and 3 among the members of
    a flag: what --redirects and --tee say is then read as None. Looks at what is imported until that module comes, and
    changes it only where it reads 0 so."""

    MODULE = "torch.distributed.elastic.multiprocessing.api"

    def find_spec(self, name, path=None, target=None):
        if name != self.MODULE:
            return None
        import sys

        sys.meta_path[:] = [finder for finder in sys.meta_path if finder is not self]
        for finder in sys.meta_path:
            spec = finder.find_spec(name, path, target) if hasattr(finder, "find_spec") else None
            if spec is not None:
                self._mend_after(spec.loader)
                return spec
        return None

    def _mend_after(self, loader):
        execute = getattr(loader, "exec_module", None)

        def exec_module(module):
            execute(module)
            try:
                vars(loader).pop("exec_module", None)
                self.mend(module.Std)
            except Exception:
                pass  # another torch, which has no need of it

        try:
            loader.exec_module = exec_module
        except Exception:
            pass  # a loader that cannot be changed: things are as they would be without us

    @staticmethod
    def mend(flags):
        read = flags.from_str
        if read("0") is not None:
            return

        def from_str(cls, text):
            read(text)  # tells what cannot be read
            if ":" not in text:
                return cls(int(text))
            pairs = (pair.split(":") for pair in text.split(","))
            return {int(rank): cls(int(value)) for rank, value in pairs}

        flags.from_str = classmethod(from_str)


try:
    import sys

    if sys.version_info >= (3, 11):
        sys.meta_path.insert(0, _TorchrunMender())
except Exception:
    pass


def _run_next():
    """Whatever sitecustomize this one stands before runs as if it were the only one."""
    import os
    import sys
    from _frozen_importlib import module_from_spec
    from _frozen_importlib_external import PathFinder

    here = os.path.dirname(os.path.abspath(__file__))
    path = [folder for folder in sys.path if os.path.abspath(folder) != here]
    spec = PathFinder.find_spec("sitecustomize", path)
    if spec is None or spec.loader is None:
        return
    module = module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)


_run_next()
