#include "matrix/ids.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include "base/text.h"
#include "matrix/axis_value.h"
#include "matrix/compute_name.h"

namespace pinwheel::matrix {
namespace {

/// "python 3.12, compute cuda/13.0"
std::string describe(const Combination& row) {
  std::vector<std::string> parts;
  for (const auto& [axis, value] : row.axes) parts.push_back(fmt::format("{} {}", axis, value));
  return join(parts, ", ");
}

Error at_row(std::string message, const Combination& row, std::string hint) {
  Error error{ErrorKind::config, std::move(message), std::nullopt, std::move(hint), {}};
  if (row.at.line > 0) error.at = row.at;
  return error;
}

}  // namespace

IdParts::IdParts(const std::vector<Combination>& rows, const DeclaredComputes& computes) {
  std::map<std::string, std::set<std::string>> by_label;
  for (const Combination& row : rows) {
    for (const auto& [axis, value] : row.axes) {
      if (parts_.find(axis, value) != nullptr) continue;
      if (axis != "compute") {
        parts_.set(axis, value, id_part(axis, value));
        continue;
      }
      by_label[parts_.set(axis, value, label_of_compute(computes, value))].insert(value);
    }
  }
  for (const auto& [label, values] : by_label) {
    if (values.size() < 2) continue;
    for (const std::string& value : values) {
      parts_.set("compute", value, full_label_of_compute(computes, value));
    }
  }
}

std::string IdParts::id_of(const std::vector<std::pair<std::string, std::string>>& axes) const {
  std::string id;
  for (const auto& [axis, value] : axes) {
    if (!id.empty()) id += '-';
    id += *parts_.find(axis, value);
  }
  return id;
}

Result<std::vector<std::string>> make_ids(const std::vector<Combination>& rows,
                                          const DeclaredComputes& computes) {
  const IdParts parts(rows, computes);
  std::vector<std::string> ids;
  ids.reserve(rows.size());
  std::unordered_map<std::string, size_t> taken;
  taken.reserve(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].axes.empty()) {
      return fail(at_row("this `include` matches no combination and has no axis values", rows[i],
                         "add a value for each axis"));
    }
    ids.push_back(parts.id_of(rows[i].axes));
    const auto [other, fresh] = taken.emplace(ids.back(), i);
    if (fresh) continue;
    return fail(at_row(
        fmt::format("two variants have the id {}: {}; and {}", quoted(ids.back()),
                    describe(rows[other->second]), describe(rows[i])),
        rows[i],
        "ids consist of `a-z`, `0-9`, `.`, `_` and `-`; choose values that differ in those"));
  }
  return ids;
}

}  // namespace pinwheel::matrix
