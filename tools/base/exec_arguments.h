#pragma once
#include <map>
#include <string>
#include <vector>

namespace pinwheel {

/// Strings in the form of execve's arguments: an array of pointers that ends in a null pointer.
/// Owns the strings, so that a child can use the array between fork and exec, where it must not
/// allocate.
class ExecArguments {
 public:
  explicit ExecArguments(std::vector<std::string> strings);
  /// "NAME=value" of each.
  explicit ExecArguments(const std::map<std::string, std::string>& variables);
  ExecArguments(const ExecArguments&) = delete;
  ExecArguments& operator=(const ExecArguments&) = delete;

  char* const* data() const { return pointers_.data(); }

 private:
  std::vector<std::string> strings_;
  std::vector<char*> pointers_;
};

}  // namespace pinwheel
