#pragma once
#include <string>
#include <string_view>

#include "base/visible_text.h"

namespace pinwheel::report {

/// Lines of `label  value` under a title; additional values of a label go below the first. Titles
/// and values are made visible, each on its line.
class Lines {
 public:
  explicit Lines(std::string_view title) : text_(visible(title) + "\n") {}

  void add(std::string_view label, const std::string& value);
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
  std::string last_;
};

}  // namespace pinwheel::report
