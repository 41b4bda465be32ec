#pragma once

// Random jagged tensors for the tests of kernels, valid and invalid.

#include <random>
#include <vector>

#include "index/jagged.h"

template <class Index>
struct JaggedExample {
  std::vector<std::vector<Index>> offsets;
  pinwheel::JaggedView<Index> view;
  int64_t dense_rows = 0;

  /// Points the view at the current location of the offsets.
  void refresh() {
    for (int d = 0; d < view.depth; ++d) view.offsets[d] = offsets[d].data();
  }

  /// Replaces some offsets by arbitrary numbers.
  void spoil(std::mt19937& random) {
    for (std::vector<Index>& level : offsets) {
      for (Index& offset : level) {
        if (random() % 4 == 0)
          offset = static_cast<Index>(static_cast<int64_t>(random() % 41) - 20);
      }
    }
  }
};

template <class Index>
JaggedExample<Index> random_jagged_example(std::mt19937& random, int depth) {
  const auto up_to = [&](int64_t most) { return static_cast<int64_t>(random() % (most + 1)); };
  JaggedExample<Index> example;
  example.view.depth = depth;
  int64_t groups = up_to(4);
  example.dense_rows = groups;
  for (int d = 0; d < depth; ++d) {
    std::vector<Index> offsets = {0};
    for (int64_t g = 0; g < groups; ++g) {
      offsets.push_back(offsets.back() + static_cast<Index>(up_to(3)));
    }
    example.view.groups[d] = groups;
    example.view.max_length[d] = up_to(4);
    example.dense_rows *= example.view.max_length[d];
    groups = offsets.back();
    example.offsets.push_back(offsets);
  }
  example.view.value_rows = groups;
  example.refresh();
  return example;
}
