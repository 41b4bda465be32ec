#include "report/plan_text.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "base/fit_text.h"
#include "base/text.h"
#include "matrix/status_name.h"
#include "matrix/variant.h"
#include "plan/step_id.h"
#include "report/table.h"

namespace pinwheel::report {
namespace {

std::string lines(const std::vector<std::string>& items) {
  std::string out;
  for (const std::string& item : items) out += item + "\n";
  return out;
}

std::string cell_text(const plan::SupportCell& cell) {
  std::string text = cell.support == plan::Support::yes ? "Yes" : "No";
  for (const int note : cell.notes) text += fmt::format("[{}]", note);
  return text;
}

/// The build of each variant of an outline.
std::vector<const plan::BuildGroup*> builds_of_variants(const plan::Outline& outline) {
  const std::vector<matrix::Variant>& variants = outline.variants;
  const matrix::VariantIndex index(variants);
  std::vector<const plan::BuildGroup*> builds(variants.size());
  for (const plan::BuildGroup& group : outline.builds) {
    for (const std::string& test : group.tests) {
      const Result<const matrix::Variant*> variant = index.find(test);
      if (variant) builds[static_cast<size_t>(*variant - variants.data())] = &group;
    }
  }
  return builds;
}

}  // namespace

std::string variant_ids(const plan::Outline& outline) {
  std::vector<std::string> ids;
  for (const matrix::Variant& variant : outline.variants) ids.push_back(variant.id);
  return lines(ids);
}

std::string build_ids(const plan::Outline& outline) {
  std::vector<std::string> ids;
  for (const plan::BuildGroup& group : outline.builds) ids.push_back(group.cls.id);
  return lines(ids);
}

std::string plan_table(const plan::Outline& outline, const std::vector<plan::ImageTest>& images,
                       size_t width) {
  const std::vector<const plan::BuildGroup*> builds = builds_of_variants(outline);
  const bool on_images = !images.empty();
  const plan::ImageTestIndex tests_on_images(images);
  TableRows rows;
  rows.begin_row();
  for (const char* const title : {"variant", "build", "status", "channels"}) rows.add(title);
  if (on_images) rows.add("tested on");
  for (size_t i = 0; i < outline.variants.size(); ++i) {
    const matrix::Variant& variant = outline.variants[i];
    const matrix::AbiClass& cls = builds.at(i)->cls;
    std::string build = plan::build_id(cls.id);
    if (cls.representative == variant.id) build += " *";
    rows.begin_row();
    rows.add(variant.id);
    rows.add(build);
    rows.add(matrix::to_string(variant.status));
    rows.add(join(variant.channels, ","));
    if (on_images) rows.add(join(tests_on_images.images_of(variant.id), ","));
  }
  const std::string more = on_images ? fmt::format(" and {} on images", images.size()) : "";
  return rows.aligned(width) + "\n" +
         fit_lines(plan::summary_line(outline) + more + " (* builds the wheel of its class)\n",
                   width);
}

std::string promotion_lines(const plan::PromotionPath& path, size_t width) {
  return fit_lines(fmt::format("published to {} first, installed from there for {}, then published "
                               "to {}\n",
                               path.through, join(path.installs, ", "), join(path.targets, ", ")),
                   width);
}

std::string support_table(const plan::SupportTable& table, size_t width) {
  std::vector<std::vector<std::string>> rows = {{""}};
  for (const std::string& column : table.columns) rows[0].push_back(column);
  for (const auto& [title, cells] : table.rows) {
    std::vector<std::string> row = {title};
    for (const plan::SupportCell& cell : cells) row.push_back(cell_text(cell));
    rows.push_back(std::move(row));
  }
  std::string out = align_columns(rows, width);
  if (!table.notes.empty()) out += "\n";
  for (size_t i = 0; i < table.notes.size(); ++i) {
    out += fit_lines(fmt::format("[{}] {}\n", i + 1, table.notes[i]), width);
  }
  return out;
}

std::string plan_dot(const plan::Plan& plan) {
  std::string out = "digraph pinwheel {\n  rankdir=LR;\n  node [shape=box];\n";
  for (const plan::Step& step : plan.steps) {
    out += fmt::format("  \"{}\";\n", step.id);
    for (const std::string& need : step.needs) {
      out += fmt::format("  \"{}\" -> \"{}\";\n", need, step.id);
    }
  }
  return out + "}\n";
}

}  // namespace pinwheel::report
