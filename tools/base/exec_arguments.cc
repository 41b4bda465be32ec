#include "base/exec_arguments.h"

#include <utility>

namespace pinwheel {
namespace {

std::vector<std::string> assignments(const std::map<std::string, std::string>& variables) {
  std::vector<std::string> out;
  out.reserve(variables.size());
  for (const auto& [name, value] : variables) out.push_back(name + "=" + value);
  return out;
}

}  // namespace

ExecArguments::ExecArguments(std::vector<std::string> strings) : strings_(std::move(strings)) {
  pointers_.reserve(strings_.size() + 1);
  for (std::string& text : strings_) pointers_.push_back(text.data());
  pointers_.push_back(nullptr);
}

ExecArguments::ExecArguments(const std::map<std::string, std::string>& variables)
    : ExecArguments(assignments(variables)) {}

}  // namespace pinwheel
