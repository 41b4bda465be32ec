// A stable partition by rank. Bags are processed in order and a rank's share of them is stored in
// that order, so each rank needs one cursor and no bag offsets. A first pass counts the shares, a
// second one moves everything; each thread takes consecutive bags with about the same number of
// indices.

#include "jobs/bucketize.h"

#include <cstring>
#include <type_traits>
#include <vector>

#include "cpu/parallel.h"
#include "simd/bucketize.h"
#include "units/bucketize_units.h"

namespace pinwheel {
namespace {

/// Bags whose lengths are written together, one cache line per rank.
constexpr int64_t kTile = 16;
/// Number of indices whose ranks are computed before they are moved.
constexpr int64_t kChunk = 512;

/// The work of one thread.
struct Piece {
  int64_t first_bag = 0;
  int64_t last_bag = 0;
  int64_t first_index = 0;
};

template <class Length>
int64_t sum_of(const Length* lengths, int64_t count) {
  int64_t sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += lengths[i];
  return sum;
}

template <class Index, class Length>
std::vector<Piece> pieces_of(const BucketizeJob<Index, Length>& job) {
  constexpr int64_t kIndicesEach = 16 * 1024;
  const int64_t work = job.count + job.bags;
  const int64_t wanted = std::min<int64_t>(torch::stable::get_num_threads(), work / kIndicesEach);
  if (wanted <= 1) return {Piece{0, job.bags, 0}};
  const int64_t block = (job.bags / (kTile * 64 * wanted) + 1) * kTile;
  const int64_t blocks = (job.bags + block - 1) / block;
  std::vector<int64_t> sums(blocks);
  parallel_over(blocks, block * sizeof(Length), [&](int64_t first, int64_t last) {
    for (int64_t k = first; k < last; ++k) {
      sums[k] = sum_of(job.lengths + k * block, std::min(block, job.bags - k * block));
    }
  });
  std::vector<Piece> pieces = {Piece{}};
  int64_t indices = 0;
  for (int64_t k = 0; k < blocks; ++k) {
    const int64_t done = indices + k * block;
    if (done * wanted >= work * static_cast<int64_t>(pieces.size())) {
      pieces.back().last_bag = k * block;
      pieces.push_back(Piece{k * block, 0, indices});
    }
    indices += sums[k];
  }
  pieces.back().last_bag = job.bags;
  return pieces;
}

/// Calls `body(feature, first, last)` for indices [first, last) of one feature each, at most kChunk
/// at a time, in order, for all of `piece`.
template <class Index, class Length, class Body>
void for_each_chunk(const BucketizeJob<Index, Length>& job, const Piece& piece, const Body& body) {
  const int64_t* const starts = job.bag_starts;
  int64_t bag = piece.first_bag;
  int64_t at = piece.first_index;
  int64_t t = std::upper_bound(starts, starts + job.feature_count + 1, bag) - starts - 1;
  for (; bag < piece.last_bag; ++t) {
    const int64_t end = std::min(piece.last_bag, starts[t + 1]);
    if (end <= bag) continue;
    const int64_t stop = at + sum_of(job.lengths + bag, end - bag);
    for (; at < stop; at = std::min(stop, at + kChunk)) {
      body(job.features[t], at, std::min(stop, at + kChunk));
    }
    bag = end;
  }
}

/// Where the indices of a chunk go.
struct Chunk {
  uint64_t ranks[kChunk];
  uint64_t indices[kChunk];
};

template <class Index>
void look_up(const BucketFeature& shared, const Index* indices, int64_t count, bool ranks_only,
             Chunk& chunk) {
  using Unsigned = std::make_unsigned_t<Index>;
  fetch_ahead(indices + kChunk, kChunk * sizeof(Index));
  const auto* const at = reinterpret_cast<const Unsigned*>(indices);
  uint64_t* const rows = ranks_only ? nullptr : chunk.indices;
  const simd::RankRows ranks{shared.limit, shared.rank_rows.divisor};
  const bool found = shared.bound_count == 0 &&
                     CALL_FOR_ISA(simd, split_by_rank, ranks, at, count, chunk.ranks, rows);
  const BucketFeature feature = shared;  // a copy stays in registers
  for (int64_t k = 0; k < count && !found; ++k) {
    const Bucketed to = bucketed_as_given(feature, at[k]);
    chunk.ranks[k] = to.rank;
    chunk.indices[k] = to.index;
  }
}

/// Counts the indices of `piece`'s bags by rank.
template <class Index, class Length>
class RankCounts {
 public:
  RankCounts(const BucketizeJob<Index, Length>& job, const Piece& piece, int64_t* totals)
      : job_(job),
        totals_(totals),
        tile_(job.ranks * kTile),
        first_(piece.first_bag),
        bag_(piece.first_bag),
        last_(piece.last_bag),
        left_(job.lengths[piece.first_bag]) {}

  /// Counts the next `count` indices, which go to these ranks.
  void add(const uint64_t* ranks, int64_t count) {
    for (int64_t k = 0; k < count;) {
      while (left_ == 0) next_bag();
      const int64_t stop = k + std::min(left_, count - k);
      left_ -= stop - k;
      Length* const counts = tile_.data() + (bag_ - first_);
      for (; k < stop; ++k) ++counts[ranks[k] * kTile];
    }
  }

  /// Call after the last indices.
  void finish() {
    while (bag_ < last_) next_bag();
    write();
  }

 private:
  void next_bag() {
    ++bag_;
    if (bag_ - first_ == kTile) write();
    left_ = bag_ < last_ ? job_.lengths[bag_] : 0;
  }

  void write() {
    const int64_t bags = bag_ - first_;
    for (int64_t rank = 0; rank < job_.ranks; ++rank) {
      Length* const counts = tile_.data() + rank * kTile;
      Length* const to = job_.out_lengths + rank * job_.bags + first_;
      if (bags == kTile) {
        std::memcpy(to, counts, kTile * sizeof(Length));
      } else {
        std::copy_n(counts, bags, to);
      }
      totals_[rank] += sum_of(counts, kTile);
      std::memset(counts, 0, kTile * sizeof(Length));
    }
    first_ = bag_;
  }

  const BucketizeJob<Index, Length>& job_;
  int64_t* const totals_;
  std::vector<Length> tile_;
  int64_t first_;  ///< first bag of the tile
  int64_t bag_;
  int64_t last_;
  int64_t left_;  ///< remaining indices of `bag_`
};

template <class Index, class Length>
void count_ranks(const BucketizeJob<Index, Length>& job, const Piece& piece, int64_t* totals) {
  if (piece.first_bag == piece.last_bag) return;
  RankCounts<Index, Length> counts(job, piece, totals);
  Chunk chunk;
  for_each_chunk(job, piece, [&](const BucketFeature& feature, int64_t first, int64_t last) {
    look_up(feature, job.indices + first, last - first, true, chunk);
    counts.add(chunk.ranks, last - first);
  });
  counts.finish();
}

template <class Word>
void scatter_as(const void* in, void* out, const int64_t* places, int64_t count) {
  const Word* const from = static_cast<const Word*>(in);
  Word* const to = static_cast<Word*>(out);
  for (int64_t k = 0; k < count; ++k) to[places[k]] = from[k];
}

void scatter(const void* in, void* out, int64_t bytes, const int64_t* places, int64_t count) {
  switch (bytes) {
    case 1:
      return scatter_as<uint8_t>(in, out, places, count);
    case 2:
      return scatter_as<uint16_t>(in, out, places, count);
    case 4:
      return scatter_as<uint32_t>(in, out, places, count);
    default:
      return scatter_as<uint64_t>(in, out, places, count);
  }
}

/// Moves the indices of `piece` and their weights, writing each rank's from its cursor on.
template <class Index, class Length>
void move_indices(const BucketizeJob<Index, Length>& job, const Piece& piece, int64_t* cursors) {
  Chunk chunk;
  int64_t places[kChunk] = {};
  int64_t bag = piece.first_bag;
  int64_t position = 0;
  for_each_chunk(job, piece, [&](const BucketFeature& feature, int64_t first, int64_t last) {
    const int64_t count = last - first;
    const Index* const from = job.indices + first;
    look_up(feature, from, count, feature.keep_index, chunk);
    for (int64_t k = 0; k < count; ++k) places[k] = cursors[chunk.ranks[k]]++;
    for (int64_t k = 0; k < count; ++k) {
      job.out_indices[places[k]] =
          feature.keep_index ? from[k] : static_cast<Index>(chunk.indices[k]);
    }
    if (job.weights != nullptr) {
      const char* const weights = static_cast<const char*>(job.weights);
      scatter(weights + first * job.weight_bytes, job.out_weights, job.weight_bytes, places, count);
    }
    for (int64_t k = 0; k < count && job.out_permute != nullptr; ++k) {
      job.out_permute[first + k] = static_cast<Index>(places[k]);
    }
    for (int64_t k = 0; k < count && job.out_positions != nullptr; ++k) {
      for (; position == job.lengths[bag]; position = 0) ++bag;
      job.out_positions[places[k]] = static_cast<Index>(position++);
    }
  });
}

/// Counts per piece and rank -> where that piece's share of the rank starts.
void to_starts(std::vector<int64_t>& totals, int64_t pieces, int64_t ranks) {
  int64_t start = 0;
  for (int64_t rank = 0; rank < ranks; ++rank) {
    for (int64_t p = 0; p < pieces; ++p) {
      const int64_t total = totals[p * ranks + rank];
      totals[p * ranks + rank] = start;
      start += total;
    }
  }
}

}  // namespace

void run_cpu(const BucketFeaturesJob& job) {
  for (int64_t k = 0; k < job.count; ++k) job.out[job.first + k] = bucket_feature(spec_of(job, k));
}

template <class Index, class Length>
void run_cpu(const BucketizeJob<Index, Length>& job) {
  const std::vector<Piece> pieces = pieces_of(job);
  const int64_t count = static_cast<int64_t>(pieces.size());
  std::vector<int64_t> totals(count * job.ranks);
  const auto for_each_piece = [&](const auto& body) {
    if (count == 1) return body(0);
    torch::stable::parallel_for(0, count, 1, [&](int64_t first, int64_t last) {
      for (int64_t p = first; p < last; ++p) body(p);
    });
  };
  for_each_piece([&](int64_t p) {
    std::vector<int64_t> sums(job.ranks);  // private to this thread
    count_ranks(job, pieces[p], sums.data());
    std::copy(sums.begin(), sums.end(), totals.begin() + p * job.ranks);
  });
  to_starts(totals, count, job.ranks);
  for_each_piece([&](int64_t p) {
    const auto begin = totals.begin() + p * job.ranks;
    std::vector<int64_t> cursors(begin, begin + job.ranks);
    move_indices(job, pieces[p], cursors.data());
  });
}

template void run_cpu(const BucketizeJob<int32_t, int32_t>&);
template void run_cpu(const BucketizeJob<int32_t, int64_t>&);
template void run_cpu(const BucketizeJob<int64_t, int32_t>&);
template void run_cpu(const BucketizeJob<int64_t, int64_t>&);

}  // namespace pinwheel
