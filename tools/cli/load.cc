#include "cli/load.h"

#include <fmt/format.h>

#include <cstdlib>

#include "base/text.h"
#include "matrix/parse.h"
#include "matrix/status_name.h"
#include "plan/shards.h"

namespace pinwheel::cli {
namespace {

constexpr const char* kMatrixDirectory = "matrix";

Result<std::string> default_matrix(ports::Files& files) {
  if (const char* const named = std::getenv("PINWHEEL_MATRIX");
      named != nullptr && *named != '\0') {
    return std::string(named);
  }
  std::vector<std::string> found;
  TRY(const ports::FileStatus status, files.status(kMatrixDirectory));
  if (status.type == ports::FileType::directory) {
    TRY(const std::vector<std::string> names, files.list(kMatrixDirectory));
    for (const std::string& name : names) {
      if (is_matrix_name(name)) found.push_back(fmt::format("{}/{}", kMatrixDirectory, name));
    }
  }
  if (found.size() == 1) return found[0];
  if (found.empty()) {
    return fail(
        ErrorKind::usage, "no matrix file was given and `matrix/` has none",
        "pass one, for instance `pinwheel plan matrix/quickstart.yaml`, or set `PINWHEEL_MATRIX`");
  }
  return fail(
      ErrorKind::usage, "several matrix files to choose from: " + quoted_list(found),
      fmt::format("pass one, for instance `pinwheel plan {}`, or set `PINWHEEL_MATRIX`", found[0]));
}

Result<std::vector<matrix::Status>> parse_statuses(const std::vector<std::string>& names) {
  std::vector<matrix::Status> statuses = {matrix::Status::supported, matrix::Status::experimental};
  if (names.empty()) return statuses;
  statuses.clear();
  for (const std::string& list : names) {
    for (const std::string& name : split(list, ',')) {
      const auto status = matrix::parse_status(name);
      if (!status) {
        return fail(ErrorKind::usage, fmt::format("unknown status `{}`", name),
                    suggest(name, matrix::status_names()));
      }
      statuses.push_back(*status);
    }
  }
  return statuses;
}

}  // namespace

bool is_matrix_name(std::string_view argument) {
  return argument.ends_with(".yaml") || argument.ends_with(".yml");
}

Result<MatrixChoice> choose_matrix(ports::Files& files, const std::vector<std::string>& arguments) {
  MatrixChoice choice;
  for (const std::string& argument : arguments) {
    if (!is_matrix_name(argument)) {
      choice.globs.push_back(argument);
    } else if (choice.path.empty()) {
      choice.path = argument;
    } else {
      return fail(ErrorKind::usage,
                  fmt::format("two matrix files were given: `{}` and `{}`", choice.path, argument));
    }
  }
  if (choice.path.empty()) {
    TRY(choice.path, default_matrix(files));
  }
  return choice;
}

Result<Loaded> load_matrix(ports::Files& files, const std::string& path, Streams& streams,
                           Warnings warnings) {
  TRY(const std::string text, files.read(path));
  TRY(matrix::Matrix matrix, matrix::parse(text, path));
  TRY(matrix::Expansion expansion, matrix::expand(matrix));
  for (const Error& warning : expansion.warnings) {
    if (warnings == Warnings::refuse) return fail(warning);
    streams.warn(warning);
  }
  TRY(std::vector<matrix::AbiClass> classes, matrix::abi_classes(matrix, expansion.variants));
  return Loaded{std::move(matrix), std::move(expansion), std::move(classes)};
}

Result<plan::Outline> select_outline(const Loaded& loaded, const SelectionOptions& options,
                                     const std::vector<std::string>& globs,
                                     const std::string& channel) {
  TRY(const std::vector<matrix::Status> statuses, parse_statuses(options.status));
  const matrix::SelectionRequest request{globs,        options.selectors, options.skip,
                                         options.only, channel,           statuses};
  auto selected = matrix::select(loaded.matrix, loaded.expansion, request);
  if (!selected) {
    const bool empty = selected.error().kind == ErrorKind::nothing_selected;
    if (empty && options.allow_empty) return plan::Outline{};
    return fail(std::move(selected).error());
  }
  plan::Outline outline = plan::make_outline(loaded.classes, *selected);
  if (options.shard.empty()) return outline;
  TRY(const plan::Shard shard, plan::parse_shard(options.shard));
  std::vector<plan::Outline> parts = plan::split_into_shards(outline, shard.count);
  plan::Outline part = std::move(parts[static_cast<size_t>(shard.index) - 1]);
  if (part.builds.empty() && !options.allow_empty) {
    return fail(ErrorKind::nothing_selected,
                fmt::format("shard {}/{} is empty: the selection has {}", shard.index, shard.count,
                            plural(outline.builds.size(), "build")),
                "use fewer shards, or `--allow-empty`");
  }
  return part;
}

}  // namespace pinwheel::cli
