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

/// On a GPU, the same in three steps, each of which needs all of the previous one: the kernels of
/// this job, of SegmentOffsetsJob and of SegmentCopyJob. `sources[t]` is permute[t], or -1 if that
/// is no feature; such a feature is empty. `sums` are those of the input features, in `parts` parts
/// each, or null for a batch of 1, whose lengths are their own sums.
template <class Index, class Entry>
struct PermuteLengthsJob {
  const Entry* permute = nullptr;
  const Index* lengths = nullptr;
  int64_t features_in = 0;
  int64_t features_out = 0;
  int64_t batch = 0;
  Index* out_lengths = nullptr;  ///< [features_out, batch]
  int64_t* sources = nullptr;    ///< [features_out]
  int64_t* sums = nullptr;       ///< [features_in, parts]
  int64_t parts = 1;
  // For a batch of 1, the sums of every `chunk` lengths of the input and of the output.
  int64_t chunk = 0;
  int64_t* in_totals = nullptr;
  int64_t* out_totals = nullptr;
};

/// Prefix sums of numbers: of numbers[i], or of numbers[sources[i]] if `sources` is not null, or 0
/// for a negative source. A number is the sum of `parts` adjacent elements.
template <class Number>
struct SegmentOffsets {
  const Number* numbers = nullptr;
  const int64_t* sources = nullptr;
  int64_t count = 0;
  int64_t parts = 1;
  int64_t* totals = nullptr;   ///< of every `chunk` numbers; not needed for a single chunk
  int64_t* offsets = nullptr;  ///< [count + 1]
};

/// Two independent prefix sums, chunk by chunk.
template <class Number>
struct SegmentOffsetsJob {
  SegmentOffsets<Number> in;
  SegmentOffsets<Number> out;
  int64_t chunk = 0;
};

/// Numbers per chunk for sums of at most `count` numbers, so that there are few chunks.
int64_t gpu_permute_chunk(int64_t count);
/// The parts of a feature of `batch` lengths.
int64_t gpu_permute_parts(int64_t batch);

/// Output segment s, out[offsets[s]..offsets[s + 1]), is a copy of the input from starts[s] on, or
/// from starts[sources[s]] on if `sources` is not null, or zero bytes if that is negative. An
/// element is `columns` words that are moved as bytes. Positions outside the input or outside all
/// segments become zero bytes.
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
  const int64_t* sources = nullptr;  ///< GPU only
};

// Instantiated for Index = int32_t and int64_t.
template <class Index>
void run_cpu(const PermutePlanJob<Index>& job);
/// Two jobs with the same segments at once, or one if `second` is null.
void run_cpu(const SegmentCopyJob& first, const SegmentCopyJob* second);
/// Also for Entry = int32_t and int64_t. Enqueued on `stream`.
template <class Index, class Entry>
void run_gpu(const PermuteLengthsJob<Index, Entry>& job, void* stream);
/// If `out.sources` is not null, also computes the totals first, where they are needed; otherwise
/// the kernel of PermuteLengthsJob must have written them.
template <class Number>
void run_gpu(const SegmentOffsetsJob<Number>& job, void* stream);
/// Two jobs with the same segments at once, or one if `second` is null.
void run_gpu(const SegmentCopyJob& first, const SegmentCopyJob* second, void* stream);

}  // namespace pinwheel
