#pragma once

// What one GPU thread does for a word of a row of the destination. Adjacent threads write adjacent
// words. Compiled for the CPU too, where the tests run all words sequentially.

#include "index/host_device.h"
#include "jobs/jagged.h"
#include "units/word.h"

namespace pinwheel {

/// Word `number` of the dense form: word `word` of value row `value_row`, or padding for -1.
template <class Word, class Index>
PW_HD Word dense_word(const JaggedToDenseJob<Index>& job, int64_t number, int64_t value_row,
                      int64_t word) {
  const int64_t words = job.row_bytes / static_cast<int64_t>(sizeof(Word));
  const Word* const padding = reinterpret_cast<const Word*>(job.padding);
  constexpr int64_t kWordsOfPadding = static_cast<int64_t>(sizeof(job.padding) / sizeof(Word));
  return value_row < 0 ? padding[number % kWordsOfPadding]
                       : static_cast<const Word*>(job.values)[value_row * words + word];
}

/// Word `word` of a value row that dense row `dense_row`, or -1 for none, holds.
template <class Word, class Index>
PW_HD Word value_word(const DenseToJaggedJob<Index>& job, int64_t dense_row, int64_t word) {
  const int64_t words = job.row_bytes / static_cast<int64_t>(sizeof(Word));
  return dense_row < 0 ? Word{} : static_cast<const Word*>(job.dense)[dense_row * words + word];
}

}  // namespace pinwheel
