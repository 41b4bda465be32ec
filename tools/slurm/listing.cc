#include "slurm/listing.h"

#include <array>
#include <charconv>
#include <optional>
#include <vector>

#include "base/text.h"

namespace pinwheel::slurm {
namespace {

constexpr std::string_view kOwnComment = "pinwheel:";

std::optional<long> number_in(std::string_view text) {
  long number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

QueueState state_named(std::string_view name, std::string_view reason) {
  if (name == "COMPLETED") return QueueState::completed;
  if (name == "FAILED") return QueueState::failed;
  if (name == "TIMEOUT" || name == "DEADLINE") return QueueState::time_limit;
  if (name == "NODE_FAIL" || name == "BOOT_FAIL") return QueueState::node_failure;
  if (name == "PREEMPTED") return QueueState::preempted;
  if (name == "OUT_OF_MEMORY") return QueueState::out_of_memory;
  if (name == "CANCELLED" || name == "REVOKED") {
    const bool need = reason == "DependencyNeverSatisfied" || reason == "Dependency";
    return need ? QueueState::dependency_failed : QueueState::canceled;
  }
  const bool runs = name == "RUNNING" || name == "COMPLETING" || name == "STAGE_OUT" ||
                    name == "SIGNALING" || name == "SUSPENDED" || name == "STOPPED";
  return runs ? QueueState::running : QueueState::pending;
}

}  // namespace

Listing read_listing(std::string_view text) {
  Listing listing;
  for (std::string_view rest = text; !rest.empty();) {
    const size_t newline = rest.find('\n');
    std::string_view line = rest.substr(0, newline);
    rest = newline == std::string_view::npos ? std::string_view() : rest.substr(newline + 1);
    std::array<std::string_view, 4> fields;
    bool whole = true;
    for (std::string_view& field : fields) {
      const size_t bar = line.find('|');
      whole = whole && bar != std::string_view::npos;
      if (!whole) break;
      field = line.substr(0, bar);
      line = line.substr(bar + 1);
    }
    if (!whole || !line.starts_with(kOwnComment)) continue;
    const std::optional<long> array = number_in(fields[0]);
    const std::optional<long> index = number_in(fields[1]);
    if (!array || !index) continue;
    const std::string submission(trim(line.substr(kOwnComment.size())));
    ListedElement& element = listing[{submission, static_cast<int>(*index)}];
    if (!element.array.empty() && number_in(element.array).value_or(0) > *array) continue;
    element = {state_named(fields[2], fields[3]), std::string(fields[0]), std::string(fields[3])};
  }
  return listing;
}

}  // namespace pinwheel::slurm
