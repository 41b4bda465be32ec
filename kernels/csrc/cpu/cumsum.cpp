#include <type_traits>
#include <vector>

#include "cpu/parallel.h"
#include "kernels/cumsum.h"

namespace pinwheel {
namespace {

/// Integers are added as unsigned: wrapping is defined there.
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
  if (kind == CumsumKind::kExclusive) {
    for (int64_t i = 0; i < length; ++i) {
      const Sum next = sum + in[i];
      out[i] = sum;
      sum = next;
    }
  } else {
    for (int64_t i = 0; i < length; ++i) out[i] = sum += in[i];
  }
}

/// Integer addition is associative, so a long row is cut in pieces of fixed length: first their
/// sums, then each piece from the sum of those before it.
template <class Sum>
void scan_in_pieces(CumsumKind kind, const Sum* in, Sum* out, int64_t length) {
  constexpr int64_t kPiece = 64 * 1024;
  const int64_t pieces = (length + kPiece - 1) / kPiece;
  std::vector<Sum> before(pieces + 1, Sum{0});
  parallel_over(pieces, kPiece * sizeof(Sum), [&](int64_t first, int64_t last) {
    for (int64_t p = first; p < last; ++p) {
      Sum sum{0};
      for (int64_t i = p * kPiece; i < std::min(length, (p + 1) * kPiece); ++i) sum += in[i];
      before[p + 1] = sum;
    }
  });
  for (int64_t p = 0; p < pieces; ++p) before[p + 1] += before[p];
  parallel_over(pieces, kPiece * sizeof(Sum), [&](int64_t first, int64_t last) {
    for (int64_t p = first; p < last; ++p) {
      const int64_t begin = p * kPiece;
      scan(kind, in + begin, out + begin, std::min(kPiece, length - begin), before[p]);
    }
  });
}

template <class Number>
void run(const CumsumJob& job) {
  using Sum = typename Adder<Number>::type;
  constexpr int64_t kLong = 256 * 1024;
  const int64_t lead = job.kind == CumsumKind::kComplete ? 1 : 0;
  const Sum* const in = static_cast<const Sum*>(job.in);
  Sum* const out = static_cast<Sum*>(job.out);
  const bool in_pieces = std::is_integral_v<Number> && job.rows == 1 && job.length >= kLong &&
                         torch::stable::get_num_threads() > 1;
  if (in_pieces) {
    if (lead == 1) out[0] = Sum{0};
    scan_in_pieces(job.kind, in, out + lead, job.length);
    return;
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
