#include "slurm/listing.h"

#include <charconv>
#include <optional>
#include <string_view>

namespace pinwheel::slurm {
namespace {

constexpr std::string_view kOwnComment = "pinwheel:";

std::optional<int64_t> whole_number(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

std::string comment_of(const std::string& submission) {
  return std::string(kOwnComment) + submission;
}

std::string array_of(const Job& element) {
  return element.id.substr(0, element.id.find('_'));
}

Listing our_elements(const std::vector<Job>& jobs) {
  Listing listing;
  for (const Job& job : jobs) {
    const size_t underscore = job.id.find('_');
    if (!job.comment.starts_with(kOwnComment) || underscore == std::string::npos) continue;
    const std::optional<int64_t> array = whole_number(array_of(job));
    const std::optional<int64_t> index = whole_number(job.id.substr(underscore + 1));
    if (!array || !index) continue;
    const std::string submission = job.comment.substr(kOwnComment.size());
    const auto [known, is_new] = listing.try_emplace({submission, static_cast<int>(*index)}, job);
    if (is_new || whole_number(array_of(known->second)).value_or(0) > *array) continue;
    known->second = job;
  }
  return listing;
}

}  // namespace pinwheel::slurm
