// Permutes the columns of features.
//
// Bytes moved: every element is read and written once, and that is the limit; the lists are small
// and stay in the caches. A group of 32 lanes takes one feature of 8 rows, so that its lanes are
// busy even with features of 64 bytes and each has 4 words of 16 bytes in flight. If the
// addresses or the length of a feature are not multiples of 16, words are of the widest size that
// fits.

#include "jobs/pooled.h"

#include "gpu/device.h"
#include "gpu/with_word.h"
#include "index/split.h"
#include "units/pooled_units.h"

namespace pinwheel {
namespace pooled_kernels {

using namespace gpu;

constexpr int64_t kRows = 8;
/// Words that a lane loads before it stores the first of them.
constexpr int kWordsAtOnce = 4;

/// The words of a piece in up to kRows rows, of which a lane takes each 32nd.
template <class Word>
struct PieceWords {
  const char* in;  ///< of the first row
  char* out;       ///< of the first row
  int64_t row_bytes;
  unsigned width;   ///< words per row
  unsigned copied;  ///< of these; the rest become 0

  __device__ Word load(unsigned row, unsigned word) const {
    if (word >= copied) return Word{};
    return reinterpret_cast<const Word*>(in + row * row_bytes)[word];
  }
  __device__ void store(unsigned row, unsigned word, const Word& number) const {
    reinterpret_cast<Word*>(out + row * row_bytes)[word] = number;
  }
};

/// The lanes take adjacent words, of several rows if a row has few.
template <class Word>
__device__ void copy_words(const PieceWords<Word>& part, unsigned rows) {
  const unsigned count = part.width * rows;
  const unsigned lane = threadIdx.x % kLanes;
  const unsigned row_step = kLanes / part.width;
  const unsigned word_step = kLanes % part.width;
  unsigned row = lane / part.width;
  unsigned word = lane % part.width;
  for (unsigned i = lane; i < count; i += kWordsAtOnce * kLanes) {
    Word loaded[kWordsAtOnce] = {};
    unsigned rows_of[kWordsAtOnce] = {};
    unsigned words_of[kWordsAtOnce] = {};
    PW_UNROLL
    for (int k = 0; k < kWordsAtOnce; ++k) {
      rows_of[k] = row;
      words_of[k] = word;
      if (i + k * kLanes < count) loaded[k] = part.load(row, word);
      row += row_step;
      word += word_step;
      if (word < part.width) continue;
      word -= part.width;
      ++row;
    }
    PW_UNROLL
    for (int k = 0; k < kWordsAtOnce; ++k) {
      if (i + k * kLanes < count) part.store(rows_of[k], words_of[k], loaded[k]);
    }
  }
}

/// `row_bytes` and everything in `piece` are multiples of the word size.
template <class Word>
__device__ void copy_piece(const PooledJob& job, const PooledPiece& piece, int64_t row_bytes,
                           int64_t first_row) {
  constexpr int64_t kBytes = static_cast<int64_t>(sizeof(Word));
  constexpr int64_t kMostWords = int64_t{1} << 24;  // so that 32-bit division suffices
  const int64_t words = piece.bytes / kBytes;
  const int64_t copied = piece.copied / kBytes;
  const int64_t left = job.rows - first_row;
  const unsigned rows = static_cast<unsigned>(left < kRows ? left : kRows);
  for (int64_t begin = 0; begin < words; begin += kMostWords) {
    const int64_t here = words - begin < kMostWords ? words - begin : kMostWords;
    PieceWords<Word> part;
    part.in =
        static_cast<const char*>(job.in) + first_row * row_bytes + piece.from + begin * kBytes;
    part.out = static_cast<char*>(job.out) + first_row * row_bytes + piece.to + begin * kBytes;
    part.row_bytes = row_bytes;
    part.width = static_cast<unsigned>(here);
    part.copied = static_cast<unsigned>(clamped(copied - begin, here));
    copy_words(part, rows);
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
    const Split at = split(i, pieces);
    const PooledPiece piece = pooled_piece(job, at.rest);
    if (piece.bytes == 0) continue;
    const int64_t first_row = at.quotient * kRows;
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
