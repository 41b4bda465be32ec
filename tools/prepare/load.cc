#include "prepare/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/digest.h"
#include "base/text.h"
#include "matrix/family.h"
#include "matrix/parse.h"
#include "matrix/status_name.h"
#include "matrix/variant.h"
#include "plan/shards.h"
#include "prepare/host.h"

namespace pinwheel::prepare {
namespace {

namespace fs = std::filesystem;

Result<std::string> default_matrix(const Host& host) {
  if (std::string named = value_at(host.variables, "PINWHEEL_MATRIX"); !named.empty()) return named;
  std::vector<std::string> found;
  TRY(const ports::FileStatus status, host.files.status(kMatrixDirectory));
  if (status.type == ports::FileType::directory) {
    TRY(const std::vector<std::string> names, host.files.list(kMatrixDirectory));
    for (const std::string& name : names) {
      if (is_matrix_name(name)) found.push_back(fmt::format("{}/{}", kMatrixDirectory, name));
    }
  }
  TRY(const ports::FileStatus file, host.files.status(kMatrixFile));
  if (file.type == ports::FileType::regular) found.emplace_back(kMatrixFile);
  if (found.size() == 1) return found[0];
  if (found.empty()) {
    return fail(
        ErrorKind::usage,
        "no matrix file was given, and there is no `matrix/*.yaml` or `pinwheel.yaml`",
        "pass one, for instance `pinwheel plan matrix/quickstart.yaml`, set `PINWHEEL_MATRIX`, or "
        "write one by `pinwheel init`");
  }
  return fail(ErrorKind::usage, "several matrix files to choose from: " + quoted_list(found),
              fmt::format("pass one, for instance {}, or set `PINWHEEL_MATRIX`",
                          quoted(fmt::format("pinwheel plan {}", found[0]))));
}

bool is_matrix_file(ports::Files& files, const fs::path& path) {
  if (!is_matrix_name(path.string())) return false;
  const Result<std::string> text = files.read(path);
  return text && text->find("schema: pinwheel/") != std::string::npos;
}

/// The hint for a file or directory given as a matrix: a matrix file in that directory.
std::string matrix_in(ports::Files& files, const fs::path& directory) {
  for (const fs::path& place : {directory, directory / kMatrixDirectory}) {
    for (const std::string& name : files.list(place).value_or(std::vector<std::string>())) {
      const fs::path path = (place / name).lexically_normal();
      if (is_matrix_file(files, path))
        return fmt::format("did you mean {}?", quoted(path.string()));
    }
  }
  return "a matrix file ends in `.yaml` or `.yml`; other arguments are globs on ids";
}

/// The valid meanings of an argument that is not a matrix file.
enum class Expected { id_or_glob, matrix };

/// Rejects a path: an id has no slash, and no id has the name of an existing file.
Done check_is_no_path(ports::Files& files, const std::string& argument, Expected expected) {
  const ports::FileType type = files.resolved_type(argument);
  if (type == ports::FileType::missing) return {};
  const bool directory = type == ports::FileType::directory;
  const bool path = argument.find('/') != std::string::npos || argument == "." || argument == "..";
  if (directory && !path && expected == Expected::id_or_glob) return {};
  const fs::path place = directory ? fs::path(argument) : fs::path(argument).parent_path() / ".";
  return fail(ErrorKind::usage,
              fmt::format("{} is a {}, and a matrix file was expected", quoted(argument),
                          directory ? "directory" : "file of another kind"),
              matrix_in(files, place));
}

Result<std::vector<matrix::Status>> parse_statuses(const std::vector<std::string>& names) {
  std::vector<matrix::Status> statuses = {matrix::Status::supported, matrix::Status::experimental};
  if (names.empty()) return statuses;
  statuses.clear();
  for (const std::string& list : names) {
    for (const std::string& name : split(list, ',')) {
      const auto status = matrix::parse_status(name);
      if (!status) {
        return fail(ErrorKind::usage, fmt::format("unknown status {}", quoted(name)),
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

Result<MatrixChoice> choose_matrix(const Host& host, const std::vector<std::string>& arguments) {
  MatrixChoice choice;
  for (const std::string& argument : arguments) {
    if (!is_matrix_name(argument)) {
      TRY_DONE(check_is_no_path(host.files, argument, Expected::id_or_glob));
      choice.globs.push_back(argument);
    } else if (choice.path.empty()) {
      choice.path = argument;
    } else {
      return fail(ErrorKind::usage, fmt::format("two matrix files were given: {} and {}",
                                                quoted(choice.path), quoted(argument)));
    }
  }
  if (!choice.path.empty()) return choice;
  Result<std::string> usual = default_matrix(host);
  if (!usual) {
    for (const std::string& glob : choice.globs) {
      TRY_DONE(check_is_no_path(host.files, glob, Expected::matrix));
    }
    return fail(std::move(usual).error());
  }
  choice.path = *std::move(usual);
  return choice;
}

Result<Loaded> load_matrix(ports::Files& files, const std::string& path, ports::Notices& notices,
                           Warnings warnings) {
  TRY(std::string text, files.read(path, limits::kMatrix));
  TRY(matrix::Matrix matrix, matrix::parse(text, path));
  TRY(matrix::Expansion expansion, matrix::expand(matrix));
  for (const Error& warning : expansion.warnings) {
    if (warnings == Warnings::refuse) return fail(warning);
    notices.warn(warning);
  }
  TRY(std::vector<matrix::AbiClass> classes, matrix::abi_classes(matrix, expansion.variants));
  return Loaded{std::move(matrix), std::move(expansion), std::move(classes), std::move(text)};
}

std::string Loaded::digest() const {
  return sha256_hex(text);
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
  return shard_of(plan::make_outline(loaded.classes, *std::move(selected)), options);
}

Result<plan::Outline> shard_of(plan::Outline outline, const SelectionOptions& options) {
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

Result<std::vector<const matrix::Variant*>> built_variants(const Loaded& loaded,
                                                           const plan::Outline& outline) {
  const matrix::VariantIndex variants(loaded.expansion.variants);
  std::vector<const matrix::Variant*> built;
  built.reserve(outline.builds.size());
  for (const plan::BuildGroup& group : outline.builds) {
    TRY(const matrix::Variant* const variant, variants.find(group.cls.representative));
    built.push_back(variant);
  }
  return built;
}

Result<std::vector<const matrix::Variant*>> built_variants(const Loaded& loaded,
                                                           const plan::Outline& outline,
                                                           const matrix::Package& package) {
  TRY(std::vector<const matrix::Variant*> built, built_variants(loaded, outline));
  std::erase_if(built, [&](const matrix::Variant* variant) {
    return matrix::package_of(loaded.matrix, *variant).name != package.name;
  });
  return built;
}

Result<fs::path> package_directory(const Host& host, const matrix::Matrix& matrix) {
  return package_directory(host, matrix, matrix.package);
}

Result<fs::path> package_directory(const Host& host, const matrix::Matrix& matrix,
                                   const matrix::Package& package) {
  const std::string& source = package.source;
  const fs::path directory = host.at(fs::path(matrix.directory) / source);
  if (source.empty()) return directory;
  const ports::FileType type = host.files.resolved_type(directory);
  if (type == ports::FileType::directory) return directory;
  const bool missing = type == ports::FileType::missing;
  const std::string key = &package == &matrix.package ? "package.source" : "source";
  return fail(Error{
      ErrorKind::config,
      fmt::format("{} is {}, and {} {}", quoted(key), quoted(source), quoted(directory.string()),
                  missing ? "does not exist" : "is not a directory")}
                  .with_location(package.source_at)
                  .with_hint(fmt::format("{} is the project's directory, relative to the matrix "
                                         "file",
                                         quoted(key))));
}

}  // namespace pinwheel::prepare
