# shellcheck shell=dash
# preflight.sh SECONDS: probes the way from the launcher to every worker, as mpirun will take it,
# before mpirun does. Ends with 0 when all answer, else its last line names the ways that failed.
# /etc/mpi-run/agent tells launch.sh how the workers are reached; the termination message tells the
# controller.
limit=$1
results=$(mktemp -d) || exit 1
start=$(date +%s)
hosts=$(sed 's/ .*//' /etc/mpi/workers)

say() { echo "preflight: $*"; }
passed() { echo $(($(date +%s) - start)); } # in seconds

# Whether ssh can work at all: its client, an account to use it with, and a key.
ssh_works() { command -v ssh >/dev/null && id -un >/dev/null 2>&1 && take_key; }
# Others may read a key that is not the user's own, and ssh takes none of that sort.
take_key() { [ -z "$MPI_KEY" ] || (umask 077 && cp "$MPI_KEY" /etc/mpi-run/key 2>/dev/null); }
has_sshd() { command -v sshd >/dev/null || [ -x /usr/sbin/sshd ]; }
has_rsh() { command -v trainyard >/dev/null && [ -e /var/run/secrets/kubernetes.io/serviceaccount/token ]; }

# What no waiting helps against.
is_final() { # WORDS
  case $1 in
    *"Permission denied"* | *"Host key verification failed"* | *"Bad configuration option"* | *orbidden*) return 0 ;;
  esac
  return 1
}

# A worker that does not answer may have no sshd at all; it has left a note then.
lacks_sshd() { # HOST
  [ "$agent" = "$by_ssh" ] && [ "$(passed)" -ge 2 ] && has_rsh &&
    trainyard rsh "$1" test -e /etc/mpi-run/no-sshd >/dev/null 2>&1
}

probe() { # HOST
  while :; do
    if words=$($agent "$1" true 2>&1 >/dev/null </dev/null); then return; fi
    words=$(printf '%s\n' "$words" | grep -v '^Warning: Permanently added' | tail -n 1)
    if lacks_sshd "$1"; then
      touch "$results/no-sshd"
      return
    fi
    if is_final "$words" || [ "$(passed)" -ge "$limit" ]; then
      printf '%s\n' "${words:-no answer}" >"$results/$1"
      return
    fi
    sleep 0.05
  done
}

probe_all() {
  count=0
  for host in $hosts; do
    probe "$host" &
    count=$((count + 1))
    if [ $((count % 64)) = 0 ]; then wait; fi
  done
  wait
}

# How to run a command in a worker, as plm_rsh_agent has it.
by_ssh="ssh -F /etc/mpi/ssh_config"
agent=$by_ssh
why=""
if [ -z "$hosts" ]; then
  count=0
elif [ "$MPI_WORKERS" = own ] && has_rsh; then
  why="the workers run a command of their own"
elif ! ssh_works; then
  why="the launcher cannot use ssh"
elif ! has_sshd && has_rsh; then
  why="there is no sshd"
else
  probe_all
  if [ -e "$results/no-sshd" ]; then why="there is no sshd in the workers"; fi
fi
if [ -n "$why" ]; then
  if ! has_rsh; then
    echo "$why: install openssh-client in its image" | tee /dev/termination-log >&2
    exit 1
  fi
  agent="trainyard rsh"
  say "$why: workers are reached through $agent"
  rm -f "$results"/*
  probe_all
fi

failed=""
for host in $hosts; do
  words=$(cat "$results/$host" 2>/dev/null)
  say "launcher -> $host: ${words:-ok}"
  if [ -n "$words" ]; then failed="$failed${failed:+; }launcher -> $host: $words"; fi
done
rm -rf "$results"
if [ -n "$failed" ]; then
  echo "cannot reach all workers: $failed" | tee /dev/termination-log >&2
  exit 1
fi
echo "$agent" >/etc/mpi-run/agent || exit 1
[ -z "$OMPI_MCA_mca_base_param_files" ] || sh /etc/mpi/parameters.sh
[ "$count" != 0 ] || why="there are none"
echo "all $count workers answer ${agent%% -F*}${why:+: $why}" >/dev/termination-log
