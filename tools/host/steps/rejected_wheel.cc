#include "host/steps/rejected_wheel.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <system_error>
#include <utility>

#include "base/digest.h"
#include "base/text.h"
#include "host/machine/ignored_directory.h"
#include "host/steps/build_command.h"
#include "host/steps/built_wheel.h"
#include "host/system/digest_file.h"
#include "host/system/files.h"
#include "host/wheels/finish_files.h"
#include "plan/key.h"
#include "plan/step_id.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRejectedName = "kept-wheels";
constexpr ptrdiff_t kMostRejected = 16;

fs::path rejected_path(const StepContext& context, const std::string& key) {
  return context.workplace.state / kRejectedName / key;
}

/// Unused rejected wheels are removed together.
void drop_old_ones(const fs::path& directory) {
  std::error_code code;
  const auto count =
      std::distance(fs::directory_iterator(directory, code), fs::directory_iterator());
  if (!code && count >= kMostRejected) fs::remove_all(directory, code);
}

/// A matrix file is never source of a wheel, in any directory of the package.
bool is_matrix_file(const fs::path& path) {
  if (path.extension() != ".yaml" && path.extension() != ".yml") return false;
  const Result<std::string> text = LocalFiles().read(path);
  return text && (text->starts_with("schema: pinwheel/") ||
                  text->find("\nschema: pinwheel/") != std::string::npos);
}

Error unreadable(const fs::path& path, const std::error_code& code) {
  return {ErrorKind::internal, fmt::format("{}: {}", quoted(path.string()), code.message())};
}

/// Paths, contents and the executable bits below a directory.
Result<std::string> digest_of_source(const fs::path& directory) {
  std::map<std::string, std::string> files;
  std::error_code code;
  fs::recursive_directory_iterator at(directory, code);
  for (; !code && at != fs::recursive_directory_iterator(); at.increment(code)) {
    const std::string name = at->path().lexically_relative(directory).string();
    std::error_code ignored;
    if (at->is_symlink(ignored)) {
      files[name] = "-> " + fs::read_symlink(at->path(), code).string();
    } else if (at->is_regular_file(ignored) && !is_matrix_file(at->path())) {
      TRY(const FileDigest digest, digest_file(at->path()));
      const auto bits = at->status(ignored).permissions() & fs::perms::owner_exec;
      files[name] = digest.sha256 + (bits == fs::perms::none ? "" : " x");
    }
  }
  if (code) return fail(unreadable(directory, code));
  std::string all;
  for (const auto& [name, digest] : files) all += fmt::format("{}\n{}\n", name, digest);
  return sha256_hex(all);
}

}  // namespace

Result<std::string> compile_key(const StepContext& context) {
  plan::KeyParts parts = plan::compile_parts(context.attempt.step->parts);
  std::vector<std::string> products;
  for (const plan::StepOutcome& need : context.attempt.needs) {
    if (plan::compiles_device_code(need.id)) continue;
    products.push_back(plan::product_of(need));
  }
  std::ranges::sort(products);
  parts["needs"] = join(products, " ");
  TRY(parts["tree"], digest_of_source(context.attempt.scratch / kSourceName));
  return plan::key_of(parts);
}

Done store_rejected_wheel(const StepContext& context, const plan::BuildWheel& action,
                          const std::string& key, const fs::path& built) {
  if (!action.secrets.empty()) return {};
  LocalFiles files;
  TRY_DONE(make_ignored_directory(files, context.workplace.state));
  drop_old_ones(context.workplace.state / kRejectedName);
  TRY(const plan::Output output, put_into(built, rejected_path(context, key)));
  append_log(
      context,
      fmt::format(
          "pinwheel: saved as {}: a run with a matrix that matches it compiles nothing again\n",
          output.path));
  return {};
}

Result<std::optional<fs::path>> take_rejected_wheel(const StepContext& context,
                                                    const plan::BuildWheel& action,
                                                    const std::string& key) {
  const fs::path place = rejected_path(context, key);
  std::error_code code;
  for (const fs::directory_entry& entry : fs::directory_iterator(place, code)) {
    if (entry.path().extension() != ".whl" || !check_built_wheel(context, action, entry.path())) {
      continue;
    }
    const fs::path dist = context.attempt.scratch / kDistName;
    TRY(const plan::Output taken, put_into(entry.path(), dist));
    fs::remove_all(place, code);
    append_log(context, fmt::format("pinwheel: an earlier run compiled {}, which was rejected only "
                                    "for its name: nothing is compiled again\n",
                                    entry.path().filename().string()));
    return std::optional(fs::path(taken.path));
  }
  return std::optional<fs::path>();
}

}  // namespace pinwheel::host
