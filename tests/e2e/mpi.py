"""A plain MPI program for tests, compiled here."""

import os
import shutil
import subprocess

import pytest

PROGRAM = r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char** argv) {
  int rank, size, sum;
  char host[256], where[4096];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  gethostname(host, sizeof(host));
  getcwd(where, sizeof(where));
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  const char* color = getenv("COLOR");
  printf("rank %d of %d on %s in %s: sum %d, color %s\n", rank, size, host, where, sum, color ? color : "none");
  fflush(stdout);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 1; i < argc; ++i) sleep(atoi(argv[i]));
  MPI_Finalize();
  return 0;
}
"""


@pytest.fixture(scope="module")
def hello(tmp_path_factory):
    """The path of the program, where everybody may read it."""
    for tool in ["mpicc", "mpirun", "ssh"]:
        if not shutil.which(tool):
            pytest.skip(f"{tool} is missing: tools/setup horovod installs it")
    folder = tmp_path_factory.mktemp("mpi")
    for path in [folder, *folder.parents]:
        if path.stat().st_uid == os.geteuid() and str(path) != "/":
            path.chmod(path.stat().st_mode | 0o055)
    (folder / "hello.c").write_text(PROGRAM)
    subprocess.run(["mpicc", "-o", folder / "hello", folder / "hello.c"], check=True)
    (folder / "deaf").write_text("#!/bin/sh\nexec sleep 600\n")
    for name in ["hello", "deaf"]:
        (folder / name).chmod(0o755)
    # Pods have a /tmp of their own.
    place = f"/var/tmp/trainyard-mpi-{os.getpid()}"
    shutil.copytree(folder, place)
    yield f"{place}/hello"
    shutil.rmtree(place)


def ranks_in(log):
    return sorted(line for line in log.splitlines() if line.startswith("rank "))
