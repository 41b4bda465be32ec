#include "plan/device_code_scripts.h"

#include <string_view>

#include "plan/compiler_cache_scripts.h"

namespace pinwheel::plan {
namespace {

constexpr std::string_view kDeviceLauncher = R"SH(#!/bin/sh
# Runs nvcc with own programs in place of cicc and ptxas, and in a step of an architecture with the
# options of that architecture only.
dir=${0%/*}
real=$1
shift
case ${real##*/} in
  nvcc | nvcc-*) ;;
  *) exec "$real" "$@" ;;
esac
tab=$(printf '\t')
# The commands of several threads are printed in any order.
one=
case " $* " in
  *' -t '* | *' -t='* | *' -t'[0-9]* | *' --threads'*) one='-t 1' ;;
esac
# shellcheck disable=SC2086
plan=$("$real" --dryrun "$@" $one 2>&1) || exec "$real" "$@"
case $plan in
  *cicc* | *ptxas* | *nvlink*) ;;
  *) exec "$real" "$@" ;;
esac
note() {
  for each in "$@"; do
    case $each in *.cu) printf 'nvcc%s%s (%s)\n' "$tab" "$why" "$each" ;; esac
  done | head -n 1 >> "$dir/uses"
}
value_of() { printf '%s\n' "$plan" | sed -n "s/^#\\\$ $1=//p" | tail -n 1; }
here=$(value_of _HERE_)
here=$(cd "$here" 2> /dev/null && pwd -P)
if [ ! -x "$here/nvcc" ] || [ ! -r "$here/nvcc.profile" ]; then
  why="it has no file \`nvcc.profile\`"
  note "$@"
  exec "$real" "$@"
fi
spelled=$(value_of _HERE_)
case $spelled in /*) ;; *) spelled=$here ;; esac
case $spelled in
  *[!A-Za-z0-9/._+-]*)
    why="its directory has an unusual name"
    note "$@"
    exec "$real" "$@"
    ;;
esac
name=$(printf '%s' "$spelled" | sha256sum | cut -c 1-16)
own="$dir/toolkits/$name"
make_own() {
  made="$own.$$"
  mkdir -p "$made/bin" "$made/tools" || return 1
  for each in targets lib lib64 include nvvm; do
    [ ! -e "$spelled/../$each" ] || ln -s "$spelled/../$each" "$made/$each" || return 1
  done
  ln -s "$spelled/nvcc" "$made/bin/nvcc" || return 1
  cicc=$(value_of CICC_PATH)/cicc
  path=$(value_of PATH)
  [ -x "$cicc" ] || cicc=$(PATH="$path" command -v cicc)
  ptxas=$(PATH="$path" command -v ptxas)
  [ -x "$cicc" ] && [ -x "$ptxas" ] || return 1
  printf '%s\n' "$cicc" > "$made/cicc" && printf '%s\n' "$ptxas" > "$made/ptxas" || return 1
  cp "$dir/tool" "$made/tools/cicc" && cp "$dir/tool" "$made/tools/ptxas" || return 1
  for each in "$cicc" "$ptxas" "${cicc%/bin/cicc}"/libdevice/*; do
    [ ! -f "$each" ] || sha256sum < "$each"
  done | sha256sum | cut -c 1-64 > "$made/digest"
  {
    sed "s#\$(_HERE_)#$spelled#g" "$spelled/nvcc.profile"
    printf '\nCICC_PATH = %s\nPATH += %s:\n' "$own/tools" "$own/tools"
  } > "$made/bin/nvcc.profile" || return 1
  mv -T "$made" "$own" 2> /dev/null || rm -rf "$made"
  [ -d "$own" ]
}
if [ ! -d "$own" ] && ! make_own; then
  why="its programs cicc and ptxas were not found"
  note "$@"
  exec "$real" "$@"
fi
commands() { sed -e '/^#\$ [A-Z_a-z]*=/d' -e 's/tmpxft_[0-9a-f]*_[0-9a-f]*-/T-/g'; }
# shellcheck disable=SC2086
other=$("$own/bin/nvcc" --dryrun "$@" $one 2>&1)
if [ "$(printf '%s\n' "$plan" | commands)" != "$(printf '%s\n' "$other" | commands)" ]; then
  why="it runs other commands than the compiler that it calls"
  note "$@"
  exec "$real" "$@"
fi
read -r mode < "$dir/mode"
[ "$mode" != link ] || exec "$own/bin/nvcc" "$@"

# The options of one architecture. `code` is all codes of an option.
number=${mode%[af]}
matches() { # CODE exact|any
  code_number=${1##*_}
  if [ "$2" = exact ]; then [ "$code_number" = "$mode" ]; else
    [ "${code_number%[af]}" = "$number" ]
  fi
}
codes_of() { printf '%s\n' "${1#*,code=}" | tr -d '[]"\\' | tr ',' '\n'; }
found=
first=
count=0
previous=
for word in "$@"; do
  case $previous in
    -gencode | --generate-code) value=$word ;;
    *)
      value=
      case $word in
        -gencode=* | --generate-code=*) value=${word#*=} ;;
        -arch | -arch=* | --gpu-architecture* | -code | -code=* | --gpu-code*) first=other ;;
      esac
      ;;
  esac
  previous=$word
  case $value in
    '') continue ;;
    arch=*,code=*) ;;
    *)
      first=other
      continue
      ;;
  esac
  count=$((count + 1))
  for code in $(codes_of "$value"); do
    [ -n "$first" ] || first="${value%%,*},code=$code"
    if matches "$code" exact; then found=exact; elif [ -z "$found" ] && matches "$code" any; then
      found=any
    fi
  done
done
case "$first $NVCC_APPEND_FLAGS $NVCC_PREPEND_FLAGS " in
  ' '* | other* | *gencode* | *generate-code* | *-arch* | *--gpu-*)
    why="its architectures are not in options \`-gencode\`"
    note "$@"
    exec "$own/bin/nvcc" "$@"
    ;;
esac
list=$(printf '%s\n' "$plan" | sed -n 's/.* -D__CUDA_ARCH_LIST__=\([0-9,]*\) .*/\1/p' | head -n 1)
left=$#
previous=
taken=
while [ "$left" -gt 0 ]; do
  word=$1
  shift
  left=$((left - 1))
  value=
  case $word in
    -gencode | --generate-code)
      value=$1
      shift
      left=$((left - 1))
      ;;
    -gencode=* | --generate-code=*) value=${word#*=} ;;
    *)
      set -- "$@" "$word"
      continue
      ;;
  esac
  if [ -z "$found" ]; then
    [ -n "$taken" ] || set -- "$@" "-gencode=$first"
    taken=1
    continue
  fi
  kept=
  for code in $(codes_of "$value"); do
    ! matches "$code" "$found" || kept="$kept,$code"
  done
  [ -z "$kept" ] || set -- "$@" "-gencode=${value%%,*},code=[${kept#,}]"
done
if [ -n "$list" ]; then
  set -- "$@" -U__CUDA_ARCH_LIST__ "-D__CUDA_ARCH_LIST__=$(printf '%s' "$list" | sed 's/,/\\,/g')"
fi
exec "$own/bin/nvcc" "$@"
)SH";

constexpr std::string_view kDeviceTool = R"SH(#!/bin/sh
# Runs cicc or ptxas, unless an earlier run with the same input has left its output.
tool=${0##*/}
own=${0%/*/*}
dir=${own%/*/*}
tab=$(printf '\t')
read -r real < "$own/$tool"
read -r digest < "$own/digest"
read -r mode < "$dir/mode"
arch=
source=
input=
inputs=0
module=
made_module=
include=
stub=
output=
c=
gpu=
lto=
previous=
arguments=
for word in "$@"; do
  shown=$word
  case $previous in
    --include_file_name) include=$word shown=@ ;;
    --module_id_file_name) module=$word shown=@ ;;
    --gen_c_file_name) c=$word shown=@ ;;
    --stub_file_name) stub=$word shown=@ ;;
    --gen_device_file_name) gpu=$word shown=@ ;;
    -o) output=$word shown=@ ;;
    -olto) lto=$word shown=@ ;;
    --orig_src_path_name) source=$word ;;
    --orig_src_file_name) ;;
    -arch) arch=$word ;;
    *)
      case $word in
        -arch=*) arch=${word#-arch=} ;;
        --gen_module_id_file) made_module=1 ;;
        -o | -olto | -[!o]*) ;;
        -o*) inputs=2 ;;
        *.ii | *.ptx)
          input=$word shown=@
          inputs=$((inputs + 1))
          ;;
      esac
      ;;
  esac
  previous=$word
  arguments="$arguments$shown
"
done
name=${input##*/}
# The name of the file that ptxas reads says how many architectures nvcc compiles for.
[ -n "$source" ] || source=$(printf '%s\n' "$name" |
  sed -e 's/^tmpxft_[0-9a-f]*_[0-9a-f]*-[0-9]*_//' -e 's/[.]ptx$//' -e 's/[.]\(compute\|sm\)_[0-9a-z]*$//')
# With `-G`, the output contains the name of a temporary file.
[ "$tool" != ptxas ] || case " $* " in *' -g '*) inputs=0 ;; esac
case "$include${stub##*/}" in *[!A-Za-z0-9._+-]*) inputs=0 ;; esac
case "$source$arch" in *"$tab"* | *'
'*) inputs=0 ;; esac
if [ "$inputs" != 1 ] || [ -z "$output" ] || [ -z "$arch" ] || [ ! -f "$input" ]; then
  printf 'alone\t%s\t%s\t%s\n' "$tool" "$arch" "$source" | head -n 1 >> "$dir/uses"
  exec "$real" "$@"
fi
sum() { sha256sum | cut -c 1-64; }
given=$(printf '%s' "$arguments" | sum)
# With line numbers, ptxas writes the times and sizes of the sources to its output.
sources() {
  sed -n 's/^[[:space:]]*[.]file[[:space:]]*[0-9]*[[:space:]]*"\([^"]*\)".*/\1/p' "$1"
}
read_digest=$({
  sum < "$input"
  [ "$tool" != ptxas ] || sources "$input" | while read -r file; do stat -c '%n %Y %s' "$file"; done
  [ -z "$module" ] || [ -n "$made_module" ] || sum < "$module"
} | sum)
about="$tool$tab$arch$tab$source$tab$given$tab$read_digest$tab$digest"
key=$(printf '%s\n' "$tool $arch $given $read_digest $digest" | sum)
at="$dir/objects/$key"
escaped() { printf '%s' "$1" | sed 's/[.]/[.]/g'; }
# The names of temporary files differ between runs.
take() {
  cp "$at/output" "$output" || return 1
  [ -z "$c" ] || cp "$at/c" "$c" || return 1
  [ -z "$gpu" ] || [ ! -e "$at/gpu" ] || cp "$at/gpu" "$gpu" || return 1
  [ -z "$made_module" ] || cp "$at/module" "$module" || return 1
  [ -z "$lto" ] || cp "$at/lto" "$lto" || return 1
  if [ -n "$stub" ]; then
    sed -e "s#\"@FATBIN@\"#\"$include\"#g" -e "s#\"@STUB@\"#\"${stub##*/}\"#g" "$at/stub" > "$stub" || return 1
  fi
  cat "$at/out"
  cat "$at/err" >&2
}
if [ -d "$at" ] && take; then
  printf 'hit%s%s\n' "$tab" "$about" >> "$dir/uses"
  exit 0
fi
if [ "$mode" = link ]; then
  if [ "$tool" = cicc ] && grep -qF "$tool$tab$arch$tab$source$tab" "$dir/index"; then
    printf 'other%s%s\n' "$tab" "$about" >> "$dir/uses"
    printf 'pinwheel: %s for %s is not what the step of its architecture compiled\n' "$source" "$arch" >&2
    exit 1
  fi
  printf 'miss%s%s\n' "$tab" "$about" >> "$dir/uses"
  exec "$real" "$@"
fi
new="$dir/objects/new.$$"
mkdir -p "$new" || exec "$real" "$@"
"$real" "$@" > "$new/out" 2> "$new/err"
code=$?
cat "$new/out"
cat "$new/err" >&2
store() {
  [ "$code" = 0 ] && cp "$output" "$new/output" || return 1
  # Older compilers write these times to PTX.
  ! grep -q '^[[:space:]]*[.]file.*",[[:space:]]*[0-9]' "$output" || return 1
  [ -z "$c" ] || cp "$c" "$new/c" || return 1
  [ -z "$gpu" ] || [ ! -e "$gpu" ] || cp "$gpu" "$new/gpu" || return 1
  [ -z "$made_module" ] || cp "$module" "$new/module" || return 1
  [ -z "$lto" ] || cp "$lto" "$new/lto" || return 1
  if [ -n "$stub" ]; then
    sed -e "s#\"$(escaped "$include")\"#\"@FATBIN@\"#g" \
      -e "s#\"$(escaped "${stub##*/}")\"#\"@STUB@\"#g" "$stub" > "$new/stub" || return 1
  fi
  printf '%s\n' "$about" > "$new/about" && mv -T "$new" "$at" 2> /dev/null
}
if store; then
  printf 'made%s%s\n' "$tab" "$about" >> "$dir/uses"
fi
rm -rf "$new"
exit "$code"
)SH";

}  // namespace

std::string device_launcher_script() {
  return std::string(kDeviceLauncher);
}

std::string device_nvcc_script() {
  return nvcc_script();
}

std::string device_tool_script() {
  return std::string(kDeviceTool);
}

}  // namespace pinwheel::plan
