#include "jobs/cumsum.h"

#include <type_traits>
#include <vector>

#include "cpu/parallel.h"
#include "simd/cumsum.h"

namespace pinwheel {
namespace {

/// Integers are added as unsigned, where overflow is defined to wrap.
template <class Number>
struct Adder {
  using type = Number;
};
template <>
struct Adder<int32_t> {
  using type = uint32_t;
};
template <>
struct Adder<int64_t> {
  using type = uint64_t;
};

template <class Sum>
void scan(CumsumKind kind, const Sum* in, Sum* out, int64_t length, Sum sum) {
  const bool exclusive = kind == CumsumKind::kExclusive;
  if constexpr (std::is_integral_v<Sum>) {
    CALL_FOR_ISA(simd, scan, in, out, length, sum, exclusive);
  } else {
    // Sequential: floating-point sums depend on the order of additions.
    for (int64_t i = 0; i < length; ++i) {
      const Sum next = sum + in[i];
      out[i] = exclusive ? sum : next;
      sum = next;
    }
  }
}

/// Integer addition is associative, so a long row is cut into pieces of fixed length: first their
/// sums, then the scan of each piece from the sum of those before it.
template <class Sum>
void scan_in_pieces(CumsumKind kind, const Sum* in, Sum* out, int64_t length) {
  constexpr int64_t kPiece = 64 * 1024;
  const int64_t pieces = (length + kPiece - 1) / kPiece;
  std::vector<Sum> before(pieces + 1, Sum{0});
  const auto for_each_piece = [&](const auto& body) {
    parallel_over(pieces, kPiece * sizeof(Sum), [&](int64_t first, int64_t last) {
      for (int64_t p = first; p < last; ++p) {
        body(p, p * kPiece, std::min(kPiece, length - p * kPiece));
      }
    });
  };
  for_each_piece([&](int64_t p, int64_t begin, int64_t count) {
    before[p + 1] = CALL_FOR_ISA(simd, sum, in + begin, count);
  });
  for (int64_t p = 0; p < pieces; ++p) before[p + 1] += before[p];
  for_each_piece([&](int64_t p, int64_t begin, int64_t count) {
    scan(kind, in + begin, out + begin, count, before[p]);
  });
}

/// One thread nearly saturates memory bandwidth, so more threads pay off only for rows that are
/// much larger than the caches.
template <class Sum>
bool worth_pieces(const CumsumJob& job) {
  constexpr int64_t kLongBytes = 16 * 1024 * 1024;
  return std::is_integral_v<Sum> && job.rows == 1 &&
         job.length * static_cast<int64_t>(sizeof(Sum)) >= kLongBytes &&
         torch::stable::get_num_threads() > 1;
}

template <class Number>
void run(const CumsumJob& job) {
  using Sum = typename Adder<Number>::type;
  const int64_t lead = job.kind == CumsumKind::kComplete ? 1 : 0;
  const Sum* const in = static_cast<const Sum*>(job.in);
  Sum* const out = static_cast<Sum*>(job.out);
  if constexpr (std::is_integral_v<Sum>) {
    if (worth_pieces<Sum>(job)) {
      if (lead == 1) out[0] = Sum{0};
      return scan_in_pieces(job.kind, in, out + lead, job.length);
    }
  }
  const int64_t row_bytes = job.length * static_cast<int64_t>(sizeof(Sum));
  parallel_over(job.rows, row_bytes, [&](int64_t first, int64_t last) {
    for (int64_t row = first; row < last; ++row) {
      Sum* const to = out + row * (job.length + lead);
      if (lead == 1) to[0] = Sum{0};
      scan(job.kind, in + row * job.length, to + lead, job.length, Sum{0});
    }
  });
}

}  // namespace

void run_cpu(const CumsumJob& job) {
  switch (job.dtype) {
    case CumsumDtype::kInt32:
      return run<int32_t>(job);
    case CumsumDtype::kInt64:
      return run<int64_t>(job);
    case CumsumDtype::kFloat32:
      return run<float>(job);
    case CumsumDtype::kFloat64:
      return run<double>(job);
  }
}

}  // namespace pinwheel
