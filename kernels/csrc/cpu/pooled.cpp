#include "jobs/pooled.h"

#include <cstring>
#include <vector>

#include "cpu/parallel.h"

namespace pinwheel {
namespace {

/// Bytes of a row that stay contiguous.
struct Piece {
  int64_t from = 0;
  int64_t to = 0;
  int64_t bytes = 0;
};

std::vector<Piece> pieces_of(const PooledJob& job) {
  std::vector<Piece> pieces;
  for (int64_t t = 0; t < job.segments; ++t) {
    const int64_t* const source = job.in_offsets + job.permute[t];
    const Piece piece{source[0] * job.element_bytes, job.out_offsets[t] * job.element_bytes,
                      (source[1] - source[0]) * job.element_bytes};
    if (piece.bytes == 0) continue;
    if (!pieces.empty() && pieces.back().from + pieces.back().bytes == piece.from) {
      pieces.back().bytes += piece.bytes;  // adjacent pieces stay adjacent
    } else {
      pieces.push_back(piece);
    }
  }
  return pieces;
}

/// Pieces of one constant size are copied without a memcpy call for each.
template <int64_t kBytes>
void copy_rows(const std::vector<Piece>& pieces, const char* in, char* out, int64_t row_bytes,
               int64_t rows) {
  for (int64_t row = 0; row < rows; ++row, in += row_bytes, out += row_bytes) {
    for (const Piece& piece : pieces) std::memcpy(out + piece.to, in + piece.from, kBytes);
  }
}

void copy_rows_of_any(const std::vector<Piece>& pieces, const char* in, char* out,
                      int64_t row_bytes, int64_t rows) {
  for (int64_t row = 0; row < rows; ++row, in += row_bytes, out += row_bytes) {
    for (const Piece& piece : pieces) {
      std::memcpy(out + piece.to, in + piece.from, static_cast<size_t>(piece.bytes));
    }
  }
}

int64_t common_bytes(const std::vector<Piece>& pieces) {
  const int64_t bytes = pieces[0].bytes;
  for (const Piece& piece : pieces) {
    if (piece.bytes != bytes) return 0;
  }
  return bytes;
}

}  // namespace

void run_cpu(const PooledJob& job) {
  constexpr int64_t kBytesPerThread = 512 * 1024;
  const std::vector<Piece> pieces = pieces_of(job);
  if (pieces.empty()) return;
  const int64_t bytes = common_bytes(pieces);
  const int64_t row_bytes = job.row_elements * job.element_bytes;
  const char* const in = static_cast<const char*>(job.in);
  char* const out = static_cast<char*>(job.out);
  parallel_over(
      job.rows, row_bytes,
      [&](int64_t first, int64_t last) {
        const char* const from = in + first * row_bytes;
        char* const to = out + first * row_bytes;
        switch (bytes) {
          case 64:
            return copy_rows<64>(pieces, from, to, row_bytes, last - first);
          case 128:
            return copy_rows<128>(pieces, from, to, row_bytes, last - first);
          case 256:
            return copy_rows<256>(pieces, from, to, row_bytes, last - first);
          default:
            return copy_rows_of_any(pieces, from, to, row_bytes, last - first);
        }
      },
      kBytesPerThread);
}

}  // namespace pinwheel
