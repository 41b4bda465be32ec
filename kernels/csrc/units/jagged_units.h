#pragma once

// What one GPU thread does for unit `i` of a jagged job: moves one word of one row. Units are
// numbered along the rows of the destination, so adjacent threads write adjacent words. Compiled
// for the CPU too, where the tests run all units sequentially.

#include "index/host_device.h"
#include "index/split.h"
#include "jobs/jagged.h"
#include "units/word.h"

namespace pinwheel {

template <class Word, class Index>
PW_HD void to_dense_unit(const JaggedToDenseJob<Index>& job, int64_t i) {
  const int64_t words = job.row_bytes / static_cast<int64_t>(sizeof(Word));
  const Split at = split(i, words);
  const int64_t from = value_row_of(job.jagged, at.quotient);
  const Word* const padding = reinterpret_cast<const Word*>(job.padding);
  constexpr int64_t kWordsOfPadding = static_cast<int64_t>(sizeof(job.padding) / sizeof(Word));
  static_cast<Word*>(job.dense)[i] =
      from < 0 ? padding[i % kWordsOfPadding]
               : static_cast<const Word*>(job.values)[from * words + at.rest];
}

/// Word `word` of a value row that dense row `dense_row`, or -1 for none, holds.
template <class Word, class Index>
PW_HD Word value_word(const DenseToJaggedJob<Index>& job, int64_t dense_row, int64_t word) {
  const int64_t words = job.row_bytes / static_cast<int64_t>(sizeof(Word));
  return dense_row < 0 ? Word{} : static_cast<const Word*>(job.dense)[dense_row * words + word];
}

}  // namespace pinwheel
