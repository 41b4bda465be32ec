#!/bin/sh
# Regenerates the fixtures of this directory in the directory $1 (default: here).
#   make.sh [DIRECTORY [cuda|hip|all]]
# cuda needs nvcc 13.0, hip needs hipcc (Debian: hipcc).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=$(cd "${1:-$here}" && pwd)
what=${2:-all}
cd "$here"

three="-gencode arch=compute_80,code=sm_80 -gencode arch=compute_90a,code=sm_90a
  -gencode arch=compute_90,code=compute_90"
if [ "$what" != hip ]; then
  # One gencode list for each fixture; `plain` is also linked, to have program headers.
  nvcc $three -c scale.cu -o "$out/plain.o"
  nvcc $three -compress-mode=size -c scale.cu -o "$out/size.o"
  nvcc $three -compress-mode=speed -c scale.cu -o "$out/speed.o"
  nvcc -rdc=true -gencode arch=compute_100f,code=sm_100f -gencode arch=compute_90,code=lto_90 \
    -compress-mode=none -c scale.cu -o "$out/kinds.o"
  nvcc $three -Xcompiler -fPIC -shared -cudart none scale.cu -o "$out/plain.so"
  strip --strip-unneeded "$out/plain.so"
fi
if [ "$what" != cuda ]; then
  HIP_PLATFORM=amd hipcc --offload-arch=gfx90a:xnack+ --offload-arch=gfx1030 -c scale.hip \
    -o "$out/hip.o"
fi
