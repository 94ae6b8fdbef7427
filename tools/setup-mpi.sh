# Parts `mpi` and `horovod` of tools/setup, which sources this file: Open MPI and sshd from Debian, Horovod built from
# its sources on PyPI, for Debian's torch and Open MPI. Neither is needed for anything but MPIJobs, so that a machine
# without them is told so in one line and goes on.

mpi_packages=(openmpi-bin libopenmpi-dev openssh-client openssh-server gcc libc6-dev)
horovod_build_packages=(libtorch-dev pybind11-dev python3-dev python3-wheel cmake make g++)
horovod_version=0.28.1

# ---------------------------------------------------------------------------------------------
# Open MPI and sshd

mpi_ready() { [[ -z $(missing_packages "${mpi_packages[@]}") ]]; }

# Jobs start sshds of their own. That of the machine must neither start because its package came, nor with the machine
# from then on: whoever wants it says `systemctl enable --now ssh`. In a subshell, which undoes what forbids the start
# even when it is interrupted.
install_quiet_sshd() (
  mask=/etc/systemd/system/ssh.service policy=/usr/sbin/policy-rc.d undo=()
  trap 'if ((${#undo[@]} > 0)); then as_root rm -f "${undo[@]}"; fi' EXIT
  if [[ ! -e $mask && ! -L $mask ]]; then
    as_root mkdir -p "${mask%/*}"
    undo+=("$mask")
    as_root ln -s /dev/null "$mask"
  fi
  if [[ ! -e $policy ]]; then
    undo+=("$policy")
    as_root sh -c "printf '#!/bin/sh\nexit 101\n' >$policy && chmod +x $policy"
  fi
  packages openssh-server
  logged sshd-off as_root update-rc.d ssh disable || true # of an init that is not systemd
  logged sshd-off as_root deb-systemd-helper disable ssh.service || true
)

# In a subshell: what cannot be installed here is not fatal.
optional_packages() {
  if [[ -z $(missing_packages "$@") ]]; then return; fi
  (packages "$@")
}

install_mpi() {
  if [[ -n $(missing_packages openssh-server) ]] && may_become_root && ! install_quiet_sshd; then
    say "no sshd: MPIJobs will start their processes over the server's own channel"
  fi
  optional_packages "${mpi_packages[@]}" ||
    say "no Open MPI: MPIJobs will not run, and their end-to-end tests will be skipped"
}

# ---------------------------------------------------------------------------------------------
# Horovod

# Changes with all that the built library depends on.
horovod_key() {
  local sum
  sum=$({ cat tools/requirements-horovod.txt
    dpkg-query -W -f '${Package} ${Version}\n' python3 python3-torch openmpi-bin 2>/dev/null || true; } | sha256sum)
  echo "horovod-$horovod_version-$(uname -m)-${sum:0:8}"
}

horovod_ready() { [[ -x .venv/bin/python && $(cat .venv/.horovod 2>/dev/null) == "$(horovod_key)" ]]; }

build_horovod() { # FOLDER OF THE WHEEL
  env HOROVOD_WITH_PYTORCH=1 HOROVOD_WITH_MPI=1 HOROVOD_WITHOUT_TENSORFLOW=1 HOROVOD_WITHOUT_MXNET=1 \
    HOROVOD_WITHOUT_GLOO=1 CC=gcc CXX=g++ MAKEFLAGS="-j$(nproc)" PATH="$root/.venv/bin:$PATH" \
    nice .venv/bin/python -m pip --disable-pip-version-check --no-input --retries 1 --timeout 20 \
    wheel --no-build-isolation --no-deps --no-cache-dir --wheel-dir "$1" "horovod==$horovod_version"
}

no_horovod() { say "no Horovod: $*; the end-to-end tests of it will be skipped"; }

install_horovod() {
  local built
  built=$cache/$(horovod_key)
  part python
  part mpi
  if ! mpi_ready; then
    no_horovod "there is no Open MPI"
    return
  fi
  if ! pip_install horovod-needs - -r tools/requirements-horovod.txt; then
    unreachable horovod-needs || fail_with_log horovod-needs "pip could not install tools/requirements-horovod.txt"
    no_horovod "PyPI cannot be reached"
    return
  fi
  if ! compgen -G "$built/*.whl" >/dev/null; then
    if ! optional_packages "${horovod_build_packages[@]}"; then
      no_horovod "what it is built with is missing"
      return
    fi
    say "building Horovod $horovod_version, about 5 minutes the first time"
    rm -rf "$built.new"
    if ! logged horovod build_horovod "$built.new"; then
      unreachable horovod || fail_with_log horovod "Horovod could not be built"
      no_horovod "PyPI cannot be reached"
      return
    fi
    rm -rf "$built"
    mv "$built.new" "$built"
  fi
  say "installing Horovod into .venv"
  logged horovod .venv/bin/python -m pip --disable-pip-version-check install --no-deps --no-index --force-reinstall \
    "$built"/*.whl || fail_with_log horovod "pip could not install the wheel in $built"
  horovod_key >.venv/.horovod
}
