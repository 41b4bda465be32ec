#pragma once

// Distributes bags over threads by cost.

#include <atomic>
#include <cstring>
#include <vector>

#include "cpu/parallel.h"
#include "jobs/embedding.h"

namespace pinwheel {

/// Cumulative cost of the bags of a job, in elements moved. Bags of a table have the same cost per
/// position, and an empty bag has a cost too.
template <class Index>
class BagCosts {
 public:
  BagCosts(const TbeTables& tables, const TbeBags<Index>& bags)
      : tables_(tables), bags_(bags), before_(tables.count + 1) {
    for (int64_t t = 0; t < tables.count; ++t) {
      before_[t + 1] = before_[t] + within(t, (t + 1) * bags.batch);
    }
  }

  int64_t total() const { return before_.back(); }

  /// The first bag whose predecessors cost at least `cost`.
  int64_t bag_at(int64_t cost) const {
    int64_t low = 0;
    int64_t high = bags_.count;
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      const int64_t t = middle / bags_.batch;
      if (before_[t] + within(t, middle) < cost) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

 private:
  /// Cost of the bags of table t before `bag`.
  int64_t within(int64_t t, int64_t bag) const {
    constexpr int64_t kBag = 32;
    constexpr int64_t kPosition = 8;
    const int64_t first = t * bags_.batch;
    const int64_t columns = tables_.at(t).columns;
    const int64_t positions = bags_.offsets[bag] - bags_.offsets[first];
    return positions * (columns + kPosition) + (bag - first) * (columns + kBag);
  }

  TbeTables tables_;
  TbeBags<Index> bags_;
  std::vector<int64_t> before_;
};

/// Calls `body(first, last)` for parts of the bags on torch's thread pool; it returns the first bad
/// position of its part or -1. Returns the first one of all parts, or -1.
template <class Index, class Body>
int64_t for_bags(const TbeTables& tables, const TbeBags<Index>& bags, const Body& body) {
  if (bags.count == 0) return -1;
  constexpr int64_t kCostOfPart = 16 * 1024;
  constexpr int64_t kNowhere = INT64_MAX;
  const BagCosts<Index> costs(tables, bags);
  // More parts than threads, scheduled dynamically: threads are not all equally fast.
  const int64_t threads = torch::stable::get_num_threads();
  const int64_t most = threads == 1 ? 1 : 8 * threads;
  const int64_t parts = std::clamp<int64_t>(costs.total() / kCostOfPart, 1, most);
  const auto bag_before = [&](int64_t part) {
    return part == parts ? bags.count : costs.bag_at(costs.total() / parts * part);
  };
  std::atomic<int64_t> next{0};
  std::atomic<int64_t> first_bad{kNowhere};
  torch::stable::parallel_for(0, std::min(threads, parts), 1, [&](int64_t, int64_t) {
    for (int64_t part = next++; part < parts; part = next++) {
      const int64_t bad = body(bag_before(part), bag_before(part + 1));
      int64_t known = first_bad.load();
      while (bad >= 0 && bad < known && !first_bad.compare_exchange_weak(known, bad)) {
      }
    }
  });
  return first_bad == kNowhere ? -1 : first_bad.load();
}

/// Runs a lookup in which `body` handles bags [first, last); see for_bags.
template <class Index, class Body>
void run_lookup(const EmbeddingForwardJob<Index>& job, const Body& body) {
  if (job.out_columns == 0) return;
  if (job.pooling == Pooling::kNone) {
    // Positions that belong to no bag.
    const int64_t covered = job.bags.offsets[job.bags.count];
    const int64_t row_bytes = job.out_columns * (job.out_dtype == FloatDtype::kFloat32 ? 4 : 2);
    if (covered < job.bags.positions) {
      std::memset(static_cast<unsigned char*>(job.out) + covered * row_bytes, 0,
                  (job.bags.positions - covered) * row_bytes);
    }
  }
  *job.first_bad = for_bags(job.tables, job.bags, body);
}

}  // namespace pinwheel
