# shellcheck shell=dash
# launch.sh HOME RANKS ARGUMENT…: starts mpirun with the arguments, when preflight.sh has found that
# all workers answer. HOME is where Open MPI shall be, or empty. Part of Trainyard.
home=$1
ranks=$2
shift 2
[ -e /etc/mpi-run/agent ] || sh /etc/mpi/preflight.sh 60 || exit 1
echo "services are ready!"

if [ -n "$home" ] && [ -x "$home/bin/mpirun" ]; then
  mpirun=$home/bin/mpirun
  echo "mpirun: $mpirun"
elif mpirun=$(command -v mpirun); then
  echo "mpirun: $mpirun${home:+ (found in PATH; there is none in $home/bin)}"
else
  echo "launcher: there is no mpirun${home:+ in $home/bin nor} in PATH ($PATH): install Open MPI in the image, or say where it is in mpiConfig.home" >&2
  exit 127
fi
# Only where it works: mpirun looks for orted there, and nowhere else.
if [ "$mpirun" = "$home/bin/mpirun" ] && [ -x "$home/bin/orted" ]; then
  case " $* " in *" --prefix "* | *" -prefix "*) ;; *) set -- --prefix "$home" "$@" ;; esac
fi

. /etc/mpi/settings.sh
case $MPI_POD_IP in
  127.*) # The cores of one machine are for all ranks.
    if [ -z "$OMP_NUM_THREADS" ]; then
      OMP_NUM_THREADS=$(($(getconf _NPROCESSORS_ONLN) / ranks))
      [ "$OMP_NUM_THREADS" -gt 0 ] || OMP_NUM_THREADS=1
      export OMP_NUM_THREADS
      set -- -x OMP_NUM_THREADS "$@"
    fi
    ;;
esac
exec "$mpirun" "$@"
