#include "plan/step_id.h"

#include <fmt/format.h>

#include <cctype>

namespace pinwheel::plan {
namespace {

constexpr std::string_view kTest = "test:";

}  // namespace

std::string image_slug(std::string_view image) {
  std::string slug;
  for (const char c : image) {
    const auto byte = static_cast<unsigned char>(c);
    const bool kept = std::isalnum(byte) != 0 || c == '.' || c == '_';
    slug.push_back(kept ? static_cast<char>(std::tolower(byte)) : '-');
  }
  return slug;
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
