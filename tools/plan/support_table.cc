#include "plan/support_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "matrix/decode.h"

namespace pinwheel::plan {
namespace {

std::string compute_title(const std::string& value) {
  const std::vector<std::string> parts = split(value, '/');
  std::string title = parts[0];
  if (title == "cpu") title = "CPU";
  if (title == "cuda") title = "CUDA";
  if (title == "rocm") title = "ROCm";
  if (title == "xpu") title = "XPU";
  return parts.size() < 2 ? title : fmt::format("{} {}", title, parts[1]);
}

/// The rules for the variants of one cell, as indexes.
struct Gathered {
  bool planned = false;
  std::set<size_t> shaped;
  std::set<size_t> excluded;
};

using CellKey = std::pair<std::string, std::string>;

CellKey key_of(const matrix::Variant& variant) {
  return {variant.get("compute"), variant.get("torch")};
}

std::map<CellKey, Gathered> gather(const matrix::Expansion& expansion) {
  std::map<CellKey, Gathered> cells;
  for (const matrix::Variant& variant : expansion.variants) {
    Gathered& cell = cells[key_of(variant)];
    cell.planned = true;
    cell.shaped.insert(variant.shaped_by.begin(), variant.shaped_by.end());
  }
  for (const matrix::Excluded& excluded : expansion.excluded) {
    cells[key_of(excluded.variant)].excluded.insert(excluded.rule);
  }
  return cells;
}

/// The note number of each rule that has a reason.
std::map<size_t, int> number_notes(const matrix::Matrix& matrix, std::vector<std::string>& notes) {
  std::map<size_t, int> numbers;
  for (size_t i = 0; i < matrix.rules.size(); ++i) {
    const std::string& because = matrix.rules[i].because;
    if (because.empty()) continue;
    const auto same = std::find(notes.begin(), notes.end(), because);
    numbers[i] = static_cast<int>(same - notes.begin()) + 1;
    if (same == notes.end()) notes.push_back(because);
  }
  return numbers;
}

SupportCell make_cell(const Gathered& gathered, const std::map<size_t, int>& numbers) {
  SupportCell cell{gathered.planned ? Support::yes : Support::no, {}};
  std::set<int> notes;
  for (const size_t rule : gathered.planned ? gathered.shaped : gathered.excluded) {
    if (const auto number = numbers.find(rule); number != numbers.end()) {
      notes.insert(number->second);
    }
  }
  cell.notes.assign(notes.begin(), notes.end());
  return cell;
}

}  // namespace

Result<SupportTable> make_support_table(const matrix::Matrix& matrix,
                                        const matrix::Expansion& expansion) {
  const matrix::Axis* const compute = matrix::find_axis(matrix, "compute");
  const matrix::Axis* const torch = matrix::find_axis(matrix, "torch");
  if (compute == nullptr || torch == nullptr) {
    return fail(ErrorKind::config,
                fmt::format("{} has no {} axis, so there is no support table", quoted(matrix.file),
                            quoted(compute == nullptr ? "compute" : "torch")),
                "`--format table` lists the variants of any matrix");
  }
  SupportTable table;
  const std::map<size_t, int> numbers = number_notes(matrix, table.notes);
  const std::map<CellKey, Gathered> cells = gather(expansion);
  for (const std::string& value : torch->values) table.columns.push_back("PyTorch " + value);
  for (const std::string& row : compute->values) {
    std::vector<SupportCell> line;
    for (const std::string& column : torch->values) {
      const auto cell = cells.find({row, column});
      line.push_back(cell == cells.end() ? SupportCell{} : make_cell(cell->second, numbers));
    }
    table.rows.emplace_back(compute_title(row), std::move(line));
  }
  return table;
}

}  // namespace pinwheel::plan
