#include <fmt/format.h>

#include "base/digest.h"
#include "base/read_toml.h"
#include "base/text.h"
#include "env/lock.h"

namespace pinwheel::env {
namespace {

constexpr int64_t kSchema = 1;

/// A violation of the lock format; caught where the file's name is known.
struct Broken {
  std::string what;
};

std::string text_at(const toml::table& table, std::string_view key) {
  const toml::node* const node = table.get(key);
  if (node == nullptr) return {};
  const auto text = node->value_exact<std::string>();
  if (!text) throw Broken{fmt::format("{} is not a string", quoted(key))};
  return *text;
}

std::string needed_text(const toml::table& table, std::string_view key) {
  std::string text = text_at(table, key);
  if (text.empty()) throw Broken{fmt::format("{} is missing", quoted(key))};
  return text;
}

std::vector<std::string> texts_at(const toml::table& table, std::string_view key) {
  std::vector<std::string> result;
  const toml::node* const node = table.get(key);
  if (node == nullptr) return result;
  if (!node->is_array()) throw Broken{fmt::format("{} is not a list", quoted(key))};
  for (const toml::node& each : *node->as_array()) {
    const auto text = each.value_exact<std::string>();
    if (!text) throw Broken{fmt::format("{} must contain only strings", quoted(key))};
    result.push_back(*text);
  }
  return result;
}

std::vector<const toml::table*> tables_at(const toml::table& table, std::string_view key) {
  std::vector<const toml::table*> result;
  const toml::node* const node = table.get(key);
  if (node == nullptr) return result;
  if (!node->is_array()) throw Broken{fmt::format("{} is not a list", quoted(key))};
  for (const toml::node& each : *node->as_array()) {
    if (!each.is_table()) throw Broken{fmt::format("{} must contain only tables", quoted(key))};
    result.push_back(each.as_table());
  }
  return result;
}

const toml::table& table_at(const toml::table& table, std::string_view key) {
  const toml::node* const node = table.get(key);
  if (node == nullptr || !node->is_table()) {
    throw Broken{fmt::format("the table {} is missing", quoted(key))};
  }
  return *node->as_table();
}

std::string digest_at(const toml::table& table, std::string_view key) {
  std::string text = needed_text(table, key);
  if (!is_sha256_hex(text)) throw Broken{fmt::format("{} is not a SHA-256", quoted(key))};
  return text;
}

PipPackage package_from(const toml::table& table) {
  PipPackage package;
  package.name = needed_text(table, "name");
  package.version = needed_text(table, "version");
  const std::vector<const toml::table*> wheels = tables_at(table, "wheels");
  if (wheels.size() > 1) {
    throw Broken{fmt::format("{} has more than one file", quoted(package.name))};
  }
  const toml::table& file = wheels.empty() ? table_at(table, "sdist") : *wheels.front();
  package.file = needed_text(file, "name");
  package.url = text_at(file, "url");
  package.sha256 = digest_at(table_at(file, "hashes"), "sha256");
  return package;
}

CondaPackage conda_from(const toml::table& table) {
  return {.name = needed_text(table, "name"),
          .version = needed_text(table, "version"),
          .build = needed_text(table, "build"),
          .subdir = needed_text(table, "subdir"),
          .url = needed_text(table, "url"),
          .sha256 = digest_at(table, "sha256"),
          .md5 = text_at(table, "md5"),
          .size = static_cast<uint64_t>(
              std::max(int64_t{0}, table["size"].value<int64_t>().value_or(0)))};
}

Request asked_from(const toml::table& table) {
  Request asked;
  asked.python = text_at(table, "python");
  asked.requirements = texts_at(table, "requirements");
  asked.torch = {text_at(table, "torch"), text_at(table, "torch-index")};
  asked.container.base = text_at(table, "container");
  asked.container.dockerfile = text_at(table, "dockerfile");
  asked.container.target = text_at(table, "target");
  for (const std::string& argument : texts_at(table, "container-arguments")) {
    const size_t equals = argument.find('=');
    if (equals == std::string::npos)
      throw Broken{fmt::format("{} is not an argument", quoted(argument))};
    asked.container.arguments[argument.substr(0, equals)] = argument.substr(equals + 1);
  }
  asked.conda = {texts_at(table, "conda-channels"), texts_at(table, "conda-packages")};
  asked.conda_cuda = text_at(table, "conda-cuda");
  asked.purpose = text_at(table, "purpose") == "test" ? Purpose::test : Purpose::build;
  return asked;
}

void read_resolution(const toml::table& document, const toml::table& ours, Resolution& resolution) {
  resolution.request = digest_at(ours, "request");
  resolution.python = text_at(ours, "python");
  resolution.torch_index = text_at(ours, "torch-index");
  for (const toml::table* const each : tables_at(document, "packages")) {
    resolution.packages.push_back(package_from(*each));
  }
  for (const toml::table* const each : tables_at(ours, "conda")) {
    resolution.conda.push_back(conda_from(*each));
  }
  for (const std::string& text : texts_at(ours, "absent")) {
    const size_t equals = text.find("==");
    if (equals == std::string::npos) throw Broken{fmt::format("{} is not a package", quoted(text))};
    resolution.absent.push_back({text.substr(0, equals), text.substr(equals + 2), {}, {}});
  }
  if (resolution.digest() != digest_at(ours, "resolution")) {
    throw Broken{"its packages do not match its digest"};
  }
}

Lock read(const toml::table& document) {
  const toml::table& ours = table_at(table_at(document, "tool"), "pinwheel");
  const int64_t schema = ours["schema"].value<int64_t>().value_or(0);
  if (schema != kSchema || needed_text(document, "lock-version") != "1.0") {
    throw Broken{fmt::format("its schema is {}; this pinwheel reads {}", schema, kSchema)};
  }
  Lock lock;
  read_resolution(document, ours, lock.resolution);
  lock.request = lock.resolution.request;
  lock.asked = asked_from(table_at(ours, "asked"));
  lock.machine = needed_text(ours, "machine");
  lock.patchelf = text_at(ours, "patchelf");
  lock.variants = texts_at(ours, "variants");
  lock.pip_options = texts_at(ours, "pip-options");
  if (ours.contains("image")) {
    const toml::table& image = table_at(ours, "image");
    lock.image = LockedImage{text_at(image, "id"), text_at(image, "key"), text_at(image, "digest")};
  }
  if (ours.contains("backend")) {
    const toml::table& backend = table_at(ours, "backend");
    // The question is used as the name of a file.
    lock.backend =
        matrix::BackendAnswer{digest_at(backend, "question"), texts_at(backend, "requires")};
  }
  for (const toml::table* const each : tables_at(ours, "toolkits")) {
    lock.toolkits.push_back(
        {needed_text(*each, "name"), text_at(*each, "release"), text_at(*each, "file")});
  }
  return lock;
}

}  // namespace

Result<Lock> parse_pylock(std::string_view text, const std::string& file) {
  const auto damaged = [&file](const std::string& what) {
    return fail(ErrorKind::drift,
                fmt::format("{} is not a valid lock: {}", pinwheel::quoted(file), what),
                "write it again: `pinwheel env lock`");
  };
  const tl::expected<toml::table, TomlFault> document = read_toml(text);
  if (!document) {
    const TomlFault& fault = document.error();
    return damaged(fault.line > 0 ? fmt::format("line {}: {}", fault.line, fault.what)
                                  : fmt::format("it {}", fault.what));
  }
  try {
    return read(*document);
  } catch (const Broken& broken) {
    return damaged(broken.what);
  }
}

}  // namespace pinwheel::env
