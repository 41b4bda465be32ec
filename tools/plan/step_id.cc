#include "plan/step_id.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "base/digest.h"
#include "base/text.h"
#include "env/toolkit.h"

namespace pinwheel::plan {
namespace {

constexpr std::string_view kTest = "test:";
constexpr std::array<std::string_view, 5> kKinds = {"env:", "toolkit:", "build:", kTest,
                                                    "publish:"};
// Of the digest in the id of an environment or a toolkit.
constexpr size_t kDigits = 12;

}  // namespace

bool is_step_id(std::string_view text) {
  if (text == "sdist") return true;
  return std::any_of(kKinds.begin(), kKinds.end(), [text](std::string_view kind) {
    return text.starts_with(kind) && text.size() > kind.size();
  });
}

std::string file_name_of(std::string_view id) {
  // The digest tells apart what looks the same in a slug or only begins alike.
  constexpr size_t kReadable = 100;
  return fmt::format("{}-{}", image_slug(id.substr(0, kReadable)),
                     sha256_hex(id).substr(0, kDigits));
}

std::string image_slug(std::string_view image) {
  std::string slug;
  for (const char c : image) {
    const auto byte = static_cast<unsigned char>(c);
    const bool kept = std::isalnum(byte) != 0 || c == '.' || c == '_';
    slug.push_back(kept ? static_cast<char>(std::tolower(byte)) : '-');
  }
  return slug;
}

std::string environment_step_id(const env::Request& request) {
  return "env:" + env::digest(request).substr(0, kDigits);
}

std::string toolkit_step_id(const env::Request& request) {
  return fmt::format("toolkit:{}-{}", replace_all(env::toolkit_name(request.toolkit), "/", "-"),
                     env::toolkit_digest(request).substr(0, kDigits));
}

std::string test_id(std::string_view variant) {
  return fmt::format("{}{}", kTest, variant);
}

std::string test_id(std::string_view variant, std::string_view image) {
  return fmt::format("{}@{}", test_id(variant), image_slug(image));
}

bool is_image_test(std::string_view id) {
  return id.starts_with(kTest) && id.find('@') != std::string_view::npos;
}

std::string variant_of(std::string_view id) {
  if (!id.starts_with(kTest)) return std::string(id);
  id.remove_prefix(kTest.size());
  return std::string(id.substr(0, id.find('@')));
}

}  // namespace pinwheel::plan
