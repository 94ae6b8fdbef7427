# shellcheck shell=dash
# parameters.sh: what settings.sh says, as a file of Open MPI's parameters for an mpirun that a user
# calls: the command line and variables of theirs go before it. The files that Open MPI would read
# otherwise are part of it. Run in the launcher before its command, and in every worker.
mpirun=$(command -v mpirun)
{
  for file in /etc/openmpi "${mpirun%/bin/mpirun}/etc"; do
    cat "$file/openmpi-mca-params.conf" 2>/dev/null
    echo
  done
  env -i "PATH=$PATH" "MPI_POD_IP=$MPI_POD_IP" "MPI_INTERFACES=$MPI_INTERFACES" \
    sh -c '. /etc/mpi/settings.sh && env' | sed -n 's/^OMPI_MCA_\([a-z_]*\)=/\1 = /p'
  cat ~/.openmpi/mca-params.conf 2>/dev/null
} >/etc/mpi-run/mca-params.conf
