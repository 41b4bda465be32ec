#pragma once

#include <cstdint>

namespace pinwheel {

/// On the CPU, everything about a permutation except the values, in one pass: the two jobs below
/// with the prefix sums in between. Entries of `permute` must be valid features.
template <class Index>
struct PermutePlanJob {
  const int64_t* permute = nullptr;
  const Index* lengths = nullptr;
  int64_t features_in = 0;
  int64_t features_out = 0;
  int64_t batch = 0;
  int64_t* in_offsets = nullptr;   ///< [features_in + 1]
  Index* out_lengths = nullptr;    ///< [features_out, batch]
  int64_t* out_offsets = nullptr;  ///< [features_out + 1]
  int64_t* out_starts = nullptr;   ///< [features_out]
};

/// sums[t] = lengths[t][0] + ... + lengths[t][batch - 1].
template <class Index>
struct FeatureSumsJob {
  const Index* lengths = nullptr;
  int64_t* sums = nullptr;
  int64_t features = 0;
  int64_t batch = 0;
};

/// For each output feature t, the lengths of input feature permute[t], their sum, and where its
/// values start. An out-of-range `permute` entry yields an empty feature. For a batch of 1, `sums`
/// is not read and `out_sums` may be null.
template <class Index>
struct PermuteLengthsJob {
  const int64_t* permute = nullptr;
  const Index* lengths = nullptr;
  const int64_t* sums = nullptr;    ///< of the input features
  const int64_t* starts = nullptr;  ///< of the input features' values
  int64_t features_in = 0;
  int64_t features_out = 0;
  int64_t batch = 0;
  Index* out_lengths = nullptr;
  int64_t* out_sums = nullptr;
  int64_t* out_starts = nullptr;
};

/// Output segment s, out[offsets[s]..offsets[s + 1]), is a copy of the input from starts[s] on.
/// An element is `columns` words that are moved as bytes. Positions outside the input or outside
/// all segments become zero bytes.
struct SegmentCopyJob {
  const int64_t* offsets = nullptr;
  const int64_t* starts = nullptr;
  int64_t segments = 0;
  const void* in = nullptr;
  void* out = nullptr;
  int64_t in_elements = 0;
  int64_t out_elements = 0;
  int64_t columns = 1;
  int64_t word_bytes = 0;
};

// Instantiated for Index = int32_t and int64_t.
template <class Index>
void run_cpu(const PermutePlanJob<Index>& job);
/// Two jobs with the same segments at once, or one if `second` is null.
void run_cpu(const SegmentCopyJob& first, const SegmentCopyJob* second);
template <class Index>
void run_gpu(const FeatureSumsJob<Index>& job, void* stream);
template <class Index>
void run_gpu(const PermuteLengthsJob<Index>& job, void* stream);
void run_gpu(const SegmentCopyJob& job, void* stream);

}  // namespace pinwheel
