# shellcheck shell=dash
# settings.sh: what mpirun needs to know of where it is. Read by launch.sh and parameters.sh. As
# variables, since what is said on the command line goes before them.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_orte_keep_fqdn_hostnames=true OMPI_MCA_plm_rsh_no_tree_spawn=1
OMPI_MCA_plm_rsh_agent=$(cat /etc/mpi-run/agent 2>/dev/null || echo "ssh -F /etc/mpi/ssh_config")
export OMPI_MCA_plm_rsh_agent
case $OMPI_MCA_plm_rsh_agent in
  ssh*) ;;
  # A command that comes in by rsh ends with its connection: it must not go to the background.
  *) export OMPI_MCA_orte_leave_session_attached=1 ;;
esac
case $MPI_POD_IP in
  127.*) # All pods share the network and the cores of one machine.
    case " $MPI_INTERFACES $* " in
      *_tcp_if_*) ;; # Who says which ones are excluded must not be told which to include.
      *) export OMPI_MCA_btl_tcp_if_include=lo OMPI_MCA_oob_tcp_if_include=lo ;;
    esac
    export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_hwloc_base_binding_policy=none
    ;;
esac
