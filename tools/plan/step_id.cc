#include "plan/step_id.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <utility>

#include "base/digest.h"
#include "base/text.h"
#include "env/toolkit.h"

namespace pinwheel::plan {
namespace {

constexpr std::array kStepKinds = {StepKind::environment, StepKind::toolkit, StepKind::build,
                                   StepKind::device,      StepKind::sdist,   StepKind::test,
                                   StepKind::install,     StepKind::publish};

constexpr std::string_view word_of(StepKind kind) {
  switch (kind) {
    case StepKind::environment:
      return "env";
    case StepKind::toolkit:
      return "toolkit";
    case StepKind::build:
      return "build";
    case StepKind::device:
      return "device";
    case StepKind::sdist:
      return "sdist";
    case StepKind::test:
      return "test";
    case StepKind::install:
      return "install";
    case StepKind::publish:
      return "publish";
  }
  return {};
}
static_assert(word_of(StepKind{kStepKinds.size()}).empty(), "kStepKinds lacks a kind");

// The digits of the digest in the id of an environment or a toolkit.
constexpr size_t kDigits = 12;

struct IdParts {
  StepKind kind;
  std::string_view name;
};

std::optional<IdParts> split_id(std::string_view text) {
  const size_t colon = text.find(':');
  const bool named = colon != std::string_view::npos;
  const std::string_view name = named ? text.substr(colon + 1) : std::string_view();
  for (const StepKind kind : kStepKinds) {
    if (text.substr(0, colon) != word_of(kind)) continue;
    const bool valid = named ? !name.empty() : kind == StepKind::sdist;
    return valid ? std::optional(IdParts{kind, name}) : std::nullopt;
  }
  return std::nullopt;
}

/// The text of an id, in one allocation: a large plan has hundreds of thousands.
std::string id_text(StepKind kind, std::string_view name) {
  const std::string_view word = word_of(kind);
  std::string text;
  text.reserve(word.size() + 1 + name.size());
  text.append(word);
  if (!name.empty()) text.append(1, ':').append(name);
  return text;
}

}  // namespace

std::string to_string(const StepId& id) {
  return id_text(id.kind, id.name);
}

std::optional<StepId> parse_step_id(std::string_view text) {
  const std::optional<IdParts> parts = split_id(text);
  return parts ? std::optional(StepId{parts->kind, std::string(parts->name)}) : std::nullopt;
}

std::optional<StepKind> kind_of_step(std::string_view id) {
  const std::optional<IdParts> parts = split_id(id);
  return parts ? std::optional(parts->kind) : std::nullopt;
}

bool makes_files(std::string_view id) {
  const std::optional<StepKind> kind = kind_of_step(id);
  return kind == StepKind::build || kind == StepKind::sdist;
}

bool prepares(std::string_view id) {
  const std::optional<StepKind> kind = kind_of_step(id);
  return kind == StepKind::environment || kind == StepKind::toolkit;
}

std::string file_name_of(std::string_view id) {
  // The digest distinguishes ids with the same slug or the same beginning.
  constexpr size_t kReadable = 100;
  return fmt::format("{}-{}", image_slug(id.substr(0, kReadable)),
                     sha256_hex(id).substr(0, kDigits));
}

std::string image_slug(std::string_view image) {
  std::string slug;
  for (const char c : image) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_valid = std::isalnum(byte) != 0 || c == '.' || c == '_';
    slug.push_back(is_valid ? static_cast<char>(std::tolower(byte)) : '-');
  }
  return slug;
}

std::string environment_step_id(std::string_view digest) {
  return id_text(StepKind::environment, digest.substr(0, kDigits));
}

std::string toolkit_step_id(const env::Request& request) {
  const std::string name = replace_all(env::toolkit_name(request.toolkit), "/", "-");
  const std::string digest = env::toolkit_digest(request).substr(0, kDigits);
  return to_string({StepKind::toolkit, fmt::format("{}-{}", name, digest)});
}

std::string build_id(std::string_view build_class) {
  return id_text(StepKind::build, build_class);
}

std::string device_id(std::string_view build_class, std::string_view architecture) {
  return to_string({StepKind::device, fmt::format("{}@{}", build_class, image_slug(architecture))});
}

bool compiles_device_code(std::string_view id) {
  return kind_of_step(id) == StepKind::device;
}

std::string build_of_device_code(std::string_view id) {
  const std::string name = parse_step_id(id).value_or(StepId{}).name;
  return build_id(name.substr(0, name.rfind('@')));
}

std::string sdist_id() {
  return to_string({StepKind::sdist});
}

std::string sdist_id(std::string_view package) {
  return id_text(StepKind::sdist, package);
}

bool is_sdist(std::string_view id) {
  return kind_of_step(id) == StepKind::sdist;
}

std::string publish_id(std::string_view target) {
  return id_text(StepKind::publish, target);
}

std::string test_id(std::string_view variant) {
  return id_text(StepKind::test, variant);
}

std::string test_id(std::string_view variant, std::string_view image) {
  return fmt::format("{}@{}", test_id(variant), image_slug(image));
}

std::string install_id(std::string_view variant) {
  return id_text(StepKind::install, variant);
}

bool publishes(std::string_view id) {
  const std::optional<StepKind> kind = kind_of_step(id);
  return kind == StepKind::install || kind == StepKind::publish;
}

bool is_image_test(std::string_view id) {
  return kind_of_step(id) == StepKind::test && id.find('@') != id.npos;
}

std::string variant_of(std::string_view id) {
  const std::optional<StepId> parsed = parse_step_id(id);
  if (parsed && parsed->kind == StepKind::install) return parsed->name;
  if (!parsed || parsed->kind != StepKind::test) return std::string(id);
  return parsed->name.substr(0, parsed->name.find('@'));
}

}  // namespace pinwheel::plan
