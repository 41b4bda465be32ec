#include "matrix/ids.h"

#include <fmt/format.h>

#include <optional>

#include "base/text.h"
#include "base/text_index.h"
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

void IdParts::add(const std::string& axis, const std::string& value) {
  if (parts_.find(axis, value) != nullptr) return;
  if (axis == "compute") {
    by_label_[parts_.set(axis, value, label_of_compute(computes_, value))].insert(value);
  } else {
    parts_.set(axis, value, id_part(axis, value));
  }
}

void IdParts::finish() {
  for (const auto& [label, values] : by_label_) {
    if (values.size() < 2) continue;
    for (const std::string& value : values) {
      parts_.set("compute", value, full_label_of_compute(computes_, value));
    }
  }
}

void IdParts::append(const std::string& axis, const std::string& value, std::string& id) const {
  if (!id.empty()) id += '-';
  id += *parts_.find(axis, value);
}

Result<std::vector<std::string>> make_ids(const std::vector<Combination>& rows,
                                          const DeclaredComputes& computes) {
  IdParts parts(computes);
  for (const Combination& row : rows) {
    for (const auto& [axis, value] : row.axes) parts.add(axis, value);
  }
  parts.finish();
  std::vector<std::string> ids;
  ids.reserve(rows.size());
  TextIndex taken(rows.size());
  const auto id_at = [&ids](size_t i) -> const std::string& { return ids[i]; };
  std::string id;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].axes.empty()) {
      return fail(at_row("this `include` matches no combination and has no axis values", rows[i],
                         "add a value for each axis"));
    }
    id.clear();
    for (const auto& [axis, value] : rows[i].axes) parts.append(axis, value, id);
    const size_t other = taken.add(id, i, id_at);
    ids.push_back(id);
    if (other == i) continue;
    return fail(at_row(
        fmt::format("two variants have the id {}: {}; and {}", quoted(id), describe(rows[other]),
                    describe(rows[i])),
        rows[i],
        "ids consist of `a-z`, `0-9`, `.`, `_` and `-`; choose values that differ in those"));
  }
  return ids;
}

}  // namespace pinwheel::matrix
