# shellcheck shell=dash
# worker.sh PORT [SSHD]: what a worker of an MPI job runs: an sshd of its own, with the job's keys,
# at the pod's own address. Part of Trainyard; the job's launcher runs launch.sh.
port=$1
wanted=$2

# Where sshd is; it must be called by its full path.
find_sshd() {
  for sshd in "$wanted" /usr/sbin/sshd /usr/bin/sshd /usr/local/sbin/sshd "$(command -v sshd)"; do
    [ -n "$sshd" ] && [ -f "$sshd" ] && [ -x "$sshd" ] && return 0
  done
  return 1
}

# Without an sshd there is another way in, where this machine is the node.
come_in_by_rsh() { # WHY
  command -v trainyard >/dev/null || return 1
  echo "worker: $1: mpirun comes in through trainyard rsh"
  touch /etc/mpi-run/no-sshd
  exec sleep infinity
}

[ -z "$OMPI_MCA_mca_base_param_files" ] || sh /etc/mpi/parameters.sh
if ! find_sshd; then
  looked="${wanted:+$wanted, }/usr/sbin, /usr/bin, /usr/local/sbin, PATH"
  come_in_by_rsh "there is no sshd (looked in $looked)"
  echo "worker: there is no sshd (looked in $looked): install openssh-server in the image, or say where it is in spec.ssh.sshdPath" >&2
  exit 127
fi
if [ -n "$wanted" ] && [ "$sshd" != "$wanted" ]; then
  echo "worker: there is no $wanted; $sshd is used"
fi

# What the container has in its environment is what processes shall find that come in by ssh.
umask 077
# A key that others may read is none to sshd, and who runs it is not whom the key's file belongs to.
if [ -n "$MPI_KEY" ] && ! cp "$MPI_KEY" /etc/mpi-run/key; then
  come_in_by_rsh "user $(id -u) cannot read the keys"
  echo "worker: user $(id -u) cannot read the keys: say a folder of theirs in spec.sshAuthMountPath" >&2
  exit 1
fi
export -p >/etc/mpi-run/environment || exit 1
# sshd, as root, locks itself into this folder before somebody has proved who they are.
if [ "$(id -u)" = 0 ]; then chmod 755 /run/sshd || exit 1; fi
exec "$sshd" -D -e -f /etc/mpi/sshd_config -p "$port" -o "ListenAddress=${MPI_POD_IP:-0.0.0.0}"
