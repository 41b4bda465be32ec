#include "plan/compiler_cache_scripts.h"

#include "base/text.h"

namespace pinwheel::plan {
namespace {

// The first line of the probe's output is the reason, because the others are about the compiler.
constexpr std::string_view kPrepare = R"SH(#!/bin/sh
# Compiles a probe through @CACHE@ and writes the digest of the toolchain, which permits its use.
dir=${0%/*}
warn() {
  printf '%s\n' "$1" > "$dir/warning"
  printf '%s\n' "@CACHE@ is not used: $1" >&2
  exit 0
}
rm -f "$dir/digest" "$dir/warning" "$dir/probe.o" "$dir/counters"
command -v @CACHE@ > /dev/null 2>&1 || warn 'it is not installed'
case "@CACHE@$SCCACHE_SERVER_UDS$SCCACHE_SERVER_PORT" in
  sccache) warn 'the path of the build is too long for the socket of its server' ;;
esac
version=$(@CACHE@ --version 2> /dev/null | sed -n '1s/^[^0-9]*\([0-9][0-9.]*\).*/\1/p')
oldest=$(printf '%s\n%s\n' '@OLDEST@' "$version" | sort -V | head -n 1)
[ "$oldest" = '@OLDEST@' ] || warn "version ${version:-unknown} is older than @OLDEST@"
parts() {
  for name in "$CC" "$CXX" "$CUDAHOSTCXX" "$NVCC_CCBIN" cc c++ gcc g++ clang clang++; do
    program=$(command -v "${name%% *}" 2> /dev/null)
    [ -f "$program" ] || continue
    echo "$program"
    # clang is a small program of large libraries.
    ldd "$program" 2> /dev/null | grep -oE '/[^ ]+/lib(LLVM|clang)[^ ]*'
    for part in cc1 cc1plus as ld collect2; do
      command -v "$("$program" "-print-prog-name=$part" 2> /dev/null)" 2> /dev/null
    done
  done
  for nvcc in "${CUDA_HOME:-/}/bin/nvcc" "${CUDA_PATH:-/}/bin/nvcc" "$CUDACXX" \
    "$(command -v nvcc 2> /dev/null)" /usr/local/cuda/bin/nvcc; do
    [ -x "$nvcc" ] || continue
    echo "$nvcc"
    top=$("$nvcc" --dryrun -x cu -c /dev/null -o /dev/null 2>&1 | sed -n 's/^#\$ TOP=//p')
    if [ -z "$top" ]; then
      # Without a compiler for the host, nvcc prints nothing.
      top=$(readlink -f -- "$nvcc")
      top=${top%/*}/..
    fi
    for path in "$top"/bin/nvcc* "$top"/bin/cudafe++ "$top"/bin/cicc "$top"/bin/ptxas \
      "$top"/bin/fatbinary "$top"/bin/nvlink "$top"/bin/crt/* "$top"/nvvm/bin/* \
      "$top"/nvvm/libdevice/* "$top"/libdevice/*; do
      echo "$path"
    done
  done
  rocm=${ROCM_PATH:-/opt/rocm}
  for path in "$rocm"/amdgcn/bitcode/*.bc "$rocm"/bin/hipcc "$rocm"/llvm/bin/clang \
    "$rocm"/llvm/bin/lld "$rocm"/llvm/lib/libLLVM*.so* "$rocm"/llvm/lib/libclang*.so*; do
    echo "$path"
  done
}
# Each file once, whatever its names are: compilers are large.
digests() {
  parts | while read -r path; do readlink -f -- "$path"; done | sort -u | while read -r path; do
    [ -f "$path" ] && sha256sum < "$path"
  done | sort
}
# The names of headers of packages and of the system: a cache does not notice that one appears,
# which `__has_include` or an earlier directory finds.
headers() {
  python=$(command -v python 2> /dev/null)
  for root in "${python%/bin/*}" "$CONDA_PREFIX"; do
    [ -e "$root/pyvenv.cfg" ] || [ -d "$root/conda-meta" ] || continue
    (cd "$root" && find . -path '*/include/*')
  done
  for root in /usr /usr/local "${CUDA_HOME:-/usr/local/cuda}" "${ROCM_PATH:-/opt/rocm}"; do
    (cd "$root/include" && find .)
  done
}
digest=$({
  echo '@CACHE@' "$version"
  digests
  headers 2> /dev/null | sort
} | sha256sum | cut -c 1-32)
[ "${#digest}" = 32 ] || warn 'the digest of the compilers cannot be computed'
for name in "${CC%% *}" cc gcc clang nvcc; do
  [ -n "$name" ] && command -v "$name" > /dev/null 2>&1 && break
  name=
done
if [ -n "$name" ]; then
  suffix=c
  [ "${name##*/}" != nvcc ] || suffix=cu
  echo 'int pinwheel_probe;' > "$dir/probe.$suffix"
  unset SCCACHE_IGNORE_SERVER_IO_ERROR
  probe="$dir/probe"
  @CACHE@ "$name" -MD -MF "$probe.d" -c "$probe.$suffix" -o "$probe.o" > "$probe.log" 2>&1
  [ -s "$probe.o" ] || warn "it cannot compile: $(grep -m 1 . "$probe.log")"
  # The probe is no hit or miss of the build.
  [ "$SCCACHE_SERVER_UDS" != "$dir/@SERVER@" ] || sccache --zero-stats > /dev/null 2>&1
fi
printf '%s\n' "$digest" > "$dir/digest"
)SH";

// A redirection that fails ends `sh` for some commands, so it is tried in a subshell.
constexpr std::string_view kLauncher = R"SH(#!/bin/sh
# Runs a compiler through @CACHE@, and alone where that is impossible or not sound.
dir=${0%/*}
digest=
{ read -r digest < "$dir/digest"; } 2> /dev/null
[ -n "$digest" ] || exec "$@"
preprocess() {
  unset CCACHE_DEPEND
  export CCACHE_NODEPEND=1
}
# Dependencies by -MMD lack the headers of the system. A file of options may have it, too.
case " $* " in
  *-MMD* | *' @'*) preprocess ;;
esac
case ${1##*/} in
  nvcc | nvcc-*)
    case " $* " in
      *-MMD* | *' @'*) exec "$@" ;;
      *' -MD '* | *' --generate-dependencies-with-compile '*) ;;
      *) exec "$@" ;;
    esac
    ;;
  *)
    case "${1##*/} $* " in
      *' cuda '* | *' -xcuda '* | *'.cu '*) exec "$@" ;;
      *' -fsycl'* | *' -fopenmp-targets'* | *' -foffload'*) exec "$@" ;;
      *hipcc* | *' hip '* | *' -xhip '* | *'.hip '* | *' --offload-arch'*) preprocess ;;
    esac
    ;;
esac
export CCACHE_NAMESPACE="${CCACHE_NAMESPACE:+$CCACHE_NAMESPACE-}pinwheel-$digest"
export SCCACHE_C_CUSTOM_CACHE_BUSTER="$digest"
log="$dir/log.$$"
(: > "$log") 2> /dev/null || exec "$@"
@CACHE@ "$@" 2> "$log"
code=$?
cat "$log" >&2
reason=
if [ "$code" -gt 125 ]; then
  reason="it ended with status $code"
elif [ "$code" -ne 0 ]; then
  reason=$(grep -m 1 -E "^s?ccache: (error|caused by)|^thread '.* panicked" "$log")
fi
if [ -n "$reason" ]; then
  printf '%s\n' "$reason" >> "$dir/faults"
  rm -f "$log"
  exec "$@"
fi
rm -f "$log"
exit "$code"
)SH";

constexpr std::string_view kNvcc = R"SH(#!/bin/sh
# nvcc for PYTORCH_NVCC, through the launcher, with the short names of two options.
dir=${0%/*}
home=${CUDA_HOME:-$CUDA_PATH}
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -z "$home" ] || [ ! -x "$home/bin/nvcc" ] || nvcc="$home/bin/nvcc"
left=$#
while [ "$left" -gt 0 ]; do
  word=$1
  shift
  case $word in
    --generate-dependencies-with-compile) word=-MD ;;
    --dependency-output) word=-MF ;;
  esac
  set -- "$@" "$word"
  left=$((left - 1))
done
exec "$dir/launcher" "$nvcc" "$@"
)SH";

// All that a command started ends with it, so the counters are read before. A signal to the build
// must not end this program first.
constexpr std::string_view kCounted = R"SH(#!/bin/sh
# Runs a build with a server of sccache of its own, and writes the counters of the server.
dir=${0%/*}
[ -s "$dir/digest" ] || exec "$@"
timeout 60 sccache --start-server > /dev/null 2>&1
trap : HUP INT TERM
"$@"
code=$?
timeout 20 sccache --show-stats --stats-format json > "$dir/counters" 2> /dev/null
timeout 20 sccache --stop-server > /dev/null 2>&1
exit "$code"
)SH";

/// ccache 4.7 is the oldest that was measured, and older releases of sccache take an object of CUDA
/// for another one.
std::string_view oldest_version(matrix::CompilerCache cache) {
  return cache == matrix::CompilerCache::sccache ? "0.10" : "4.7";
}

std::string for_cache(std::string_view script, matrix::CompilerCache cache) {
  const std::string named = replace_all(std::string(script), "@CACHE@", program_of(cache));
  return replace_all(replace_all(named, "@OLDEST@", oldest_version(cache)), "@SERVER@",
                     kServerName);
}

}  // namespace

std::string_view program_of(matrix::CompilerCache cache) {
  switch (cache) {
    case matrix::CompilerCache::none:
      return "";
    case matrix::CompilerCache::ccache:
      return "ccache";
    case matrix::CompilerCache::sccache:
      return "sccache";
  }
  return "";
}

std::string prepare_script(matrix::CompilerCache cache) {
  return for_cache(kPrepare, cache);
}

std::string launcher_script(matrix::CompilerCache cache) {
  return for_cache(kLauncher, cache);
}

std::string nvcc_script() {
  return std::string(kNvcc);
}

std::string counted_script() {
  return std::string(kCounted);
}

}  // namespace pinwheel::plan
