#!/bin/sh
# Installs Trainyard from the tarball that lies beside this script:
#
#   sh install.sh [--prefix DIR] [--unsigned]
#   sh install.sh --remove [--prefix DIR]
#
#   --prefix DIR  where to: DIR/bin/trainyard, and what belongs to it in DIR/share; the default is
#                 ~/.local, and /usr/local for root
#   --unsigned    goes by the checksum alone, where there is no openssl to check the signature
#   --remove      takes away what an earlier run has put below the prefix; data folders stay
set -eu

public_key='@PUBLIC_KEY@'

die() {
  echo "install: $*" >&2
  exit 1
}

prefix=
signed=yes
remove=
while [ $# -gt 0 ]; do
  case $1 in
    --prefix)
      [ $# -gt 1 ] && [ -n "$2" ] || die "--prefix needs a folder"
      prefix=$2
      shift
      ;;
    --prefix=?*) prefix=${1#--prefix=} ;;
    --unsigned) signed= ;;
    --remove) remove=yes ;;
    -h | --help)
      sed -n '2,/^set -eu/{/^#/s/^# \{0,1\}//p;}' "$0"
      exit 0
      ;;
    *) die "there is no $1: \`sh install.sh --help\` shows how it is used" ;;
  esac
  shift
done
if [ -z "$prefix" ]; then
  if [ "$(id -u)" = 0 ]; then prefix=/usr/local; else prefix=${HOME:?install: HOME is not set: say --prefix DIR}/.local; fi
fi
case $prefix in /*) ;; *) prefix=$PWD/$prefix ;; esac
list=share/trainyard/installed-files

remove_files() { # what standard input names
  while read -r file; do
    rm -f -- "$prefix/$file"
    (cd "$prefix" && rmdir -p -- "${file%/*}" 2>/dev/null) || true # folders that are empty now
  done
}

work=$(mktemp -d)
staging=
trap 'rm -rf "$work" ${staging:+"$staging"}' EXIT
trap 'exit 1' HUP INT TERM

if [ -n "$remove" ]; then
  [ -f "$prefix/$list" ] || die "nothing of Trainyard was installed below $prefix by this script: say --prefix DIR"
  { cat "$prefix/$list" && echo "$list"; } >"$work/files"
  remove_files <"$work/files"
  echo "Trainyard is gone from $prefix; its data folders (~/.trainyard) are where they were"
  exit 0
fi

# ---- what to install, and whether it is what its makers made
case $(uname -s)-$(uname -m) in
  Linux-x86_64) arch=amd64 ;;
  Linux-aarch64) arch=arm64 ;;
  *) die "Trainyard runs on Linux on x86_64 and aarch64; this is $(uname -s) on $(uname -m)" ;;
esac
here=$(cd "$(dirname "$0")" && pwd)
set -- "$here"/trainyard-*-"$arch".tar.gz
[ -f "$1" ] || die "there is no trainyard-VERSION-$arch.tar.gz in $here: put it beside this script"
[ $# = 1 ] || die "there are several in $here ($*): leave one"
tarball=$1
name=${tarball##*/}
sums=$here/SHA256SUMS
for file in "$sums" ${signed:+"$sums.sig"}; do
  [ -f "$file" ] || die "$file is missing: it comes with the tarball"
done

checked="checksum"
if [ -n "$signed" ]; then
  command -v openssl >/dev/null ||
    die "openssl is missing, so the signature cannot be checked: install it, or go by the checksum alone with --unsigned"
  printf '%s\n' '-----BEGIN PUBLIC KEY-----' "$public_key" '-----END PUBLIC KEY-----' >"$work/key"
  openssl pkeyutl -verify -rawin -pubin -inkey "$work/key" -sigfile "$sums.sig" -in "$sums" >"$work/said" 2>&1 ||
    die "the signature of $sums is not that of Trainyard's makers, nothing was installed: get all files again"
  checked="signature and checksum"
fi
wanted=$(sed -n "s/^\([0-9a-f]\{64\}\) [ *]$name\$/\1/p" "$sums")
[ -n "$wanted" ] || die "$sums does not name $name: the files belong to different versions"
[ "$(sha256sum <"$tarball" | cut -c 1-64)" = "$wanted" ] ||
  die "$name is not what $sums says, nothing was installed: get it again"

# ---- unpacked beside its place, tried, then moved there file by file
mkdir -p "$prefix" 2>/dev/null || die "no right to make $prefix: say --prefix DIR, or be root"
for folder in "$prefix" "$prefix/bin" "$prefix/share"; do
  [ ! -e "$folder" ] || [ -w "$folder" ] || die "no right to write to $folder: say --prefix DIR, or be root"
done
staging=$(mktemp -d "$prefix/.trainyard-XXXXXX")
tar -xzf "$tarball" -C "$staging" --strip-components=1
"$staging/bin/trainyard" version >"$work/version" 2>"$work/said" || {
  cat "$work/said" >&2
  die "the program does not run here, nothing was installed: it needs glibc 2.34 or newer (Ubuntu 22.04, Debian 12, RHEL 9); here it is: $(getconf GNU_LIBC_VERSION 2>/dev/null || echo "none")"
}
(cd "$staging" && find . ! -type d | sed 's,^\./,,' | sort) >"$work/files"
if [ -f "$prefix/$list" ]; then grep -vxF -f "$work/files" "$prefix/$list" >"$work/gone" || true; fi
while read -r file; do
  mkdir -p "$prefix/${file%/*}"
  mv -f "$staging/$file" "$prefix/$file"
done <"$work/files"
cp "$work/files" "$prefix/$list"
if [ -s "$work/gone" ]; then remove_files <"$work/gone"; fi

echo "$(cut -d ' ' -f 1,2 "$work/version") is installed below $prefix ($checked checked)"
case :$PATH: in
  *":$prefix/bin:"*) program=trainyard ;;
  *)
    program=$prefix/bin/trainyard
    echo "to call it \`trainyard\`:  export PATH=\"$prefix/bin:\$PATH\""
    ;;
esac
echo "next:  $program demo     (a small job trains while you watch; nothing of it stays)"
