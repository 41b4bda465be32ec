// Permutes the columns of features.
//
// Bytes moved: every element is read and written once, and that is the limit; the lists are small
// and stay in the caches. A group of 32 lanes takes one feature of 8 rows, so that its lanes are
// busy even with features of 64 bytes and each has several 16-byte words in flight. If the
// addresses or the length of a feature are not multiples of 16, words are of the widest size that
// fits.

#include "jobs/pooled.h"

#include "gpu/device.h"
#include "gpu/with_word.h"
#include "units/pooled_units.h"

namespace pinwheel {
namespace pooled_kernels {

using namespace gpu;

constexpr int64_t kRows = 8;

/// `row_bytes` and everything in `piece` are multiples of the word size.
template <class Word>
__device__ void copy_piece(const PooledJob& job, const PooledPiece& piece, int64_t row_bytes,
                           int64_t first_row) {
  constexpr int64_t kBytes = static_cast<int64_t>(sizeof(Word));
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const int64_t words = piece.bytes / kBytes;
  const int64_t copied = piece.copied / kBytes;
  const int64_t rows = job.rows - first_row < kRows ? job.rows - first_row : kRows;
  const char* const in = static_cast<const char*>(job.in) + first_row * row_bytes + piece.from;
  char* const out = static_cast<char*>(job.out) + first_row * row_bytes + piece.to;
  if (words >= kLanes) {
    for (int64_t word = lane; word < words; word += kLanes) {
      for (int64_t row = 0; row < rows; ++row) {
        const Word* const from = reinterpret_cast<const Word*>(in + row * row_bytes);
        reinterpret_cast<Word*>(out + row * row_bytes)[word] = word < copied ? from[word] : Word{};
      }
    }
    return;
  }
  // The features of several rows at once; 32-bit division suffices.
  const unsigned width = static_cast<unsigned>(words);
  for (unsigned i = lane; i < width * static_cast<unsigned>(rows); i += kLanes) {
    const int64_t row = i / width;
    const int64_t word = i % width;
    const Word* const from = reinterpret_cast<const Word*>(in + row * row_bytes);
    reinterpret_cast<Word*>(out + row * row_bytes)[word] = word < copied ? from[word] : Word{};
  }
}

__device__ inline uint64_t address(const void* pointer) {
  return static_cast<uint64_t>(reinterpret_cast<uintptr_t>(pointer));
}

__global__ void permute_pooled_kernel(PooledJob job) {
  const int64_t row_bytes = job.row_elements * job.element_bytes;
  const int64_t tiles = (job.rows + kRows - 1) / kRows;
  const int64_t pieces = job.segments + 2;
  const int64_t group = static_cast<int64_t>(blockIdx.x) * kGroups + threadIdx.x / kLanes;
  const int64_t groups = static_cast<int64_t>(gridDim.x) * kGroups;
  for (int64_t i = group; i < tiles * pieces; i += groups) {
    const PooledPiece piece = pooled_piece(job, i % pieces);
    if (piece.bytes == 0) continue;
    const int64_t first_row = i / pieces * kRows;
    const uint64_t odd =
        address(job.in) | address(job.out) |
        static_cast<uint64_t>(row_bytes | piece.to | piece.bytes | piece.from | piece.copied);
    if (odd % 16 == 0) {
      copy_piece<Word16>(job, piece, row_bytes, first_row);
    } else if (odd % 4 == 0) {
      copy_piece<uint32_t>(job, piece, row_bytes, first_row);
    } else if (odd % 2 == 0) {
      copy_piece<uint16_t>(job, piece, row_bytes, first_row);
    } else {
      copy_piece<uint8_t>(job, piece, row_bytes, first_row);
    }
  }
}

}  // namespace pooled_kernels

using namespace pooled_kernels;

void run_gpu(const PooledJob& job, void* stream) {
  if (job.rows == 0 || job.row_elements == 0) return;
  const int64_t tiles = (job.rows + kRows - 1) / kRows;
  launch("permute_pooled_embs", &permute_pooled_kernel,
         blocks_for(tiles * (job.segments + 2), kGroups), static_cast<Stream>(stream), job);
}

}  // namespace pinwheel
