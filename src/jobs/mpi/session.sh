# shellcheck shell=dash
# session.sh: what sshd runs in a worker instead of what it was asked for: the same, in the
# environment and the folder of the container.
. /etc/mpi-run/environment
cd "$PWD" 2>/dev/null || : 
if [ -z "$SSH_ORIGINAL_COMMAND" ]; then exec "${SHELL:-/bin/sh}"; fi
exec /bin/sh -c "$SSH_ORIGINAL_COMMAND"
