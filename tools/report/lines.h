#pragma once
#include <string>
#include <string_view>

namespace pinwheel::report {

/// Lines of `label  value` under a title; additional values of a label go below the first.
class Lines {
 public:
  explicit Lines(std::string title) : text_(std::move(title) + "\n") {}

  void add(std::string_view label, const std::string& value);
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
  std::string last_;
};

}  // namespace pinwheel::report
