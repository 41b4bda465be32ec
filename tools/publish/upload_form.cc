#include "publish/upload_form.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <set>

#include "base/text.h"
#include "pep/version.h"
#include "pep/wheel_name.h"

namespace pinwheel::publish {

namespace {

enum class Use { once, repeated };

/// A header of the core metadata specification and its form field.
struct Known {
  std::string_view header;  ///< lower case
  std::string_view field;
  Use use;
};

constexpr std::array<Known, 32> kKnown = {{
    {"author", "author", Use::once},
    {"author-email", "author_email", Use::once},
    {"classifier", "classifiers", Use::repeated},
    {"description", "description", Use::once},
    {"description-content-type", "description_content_type", Use::once},
    {"download-url", "download_url", Use::once},
    {"dynamic", "dynamic", Use::repeated},
    {"home-page", "home_page", Use::once},
    {"import-name", "import_name", Use::repeated},
    {"import-namespace", "import_namespace", Use::repeated},
    {"keywords", "keywords", Use::once},
    {"license", "license", Use::once},
    {"license-expression", "license_expression", Use::once},
    {"license-file", "license_file", Use::repeated},
    {"maintainer", "maintainer", Use::once},
    {"maintainer-email", "maintainer_email", Use::once},
    {"metadata-version", "metadata_version", Use::once},
    {"name", "name", Use::once},
    {"obsoletes", "obsoletes", Use::repeated},
    {"obsoletes-dist", "obsoletes_dist", Use::repeated},
    {"platform", "platform", Use::repeated},
    {"project-url", "project_urls", Use::repeated},
    {"provides", "provides", Use::repeated},
    {"provides-dist", "provides_dist", Use::repeated},
    {"provides-extra", "provides_extra", Use::repeated},
    {"requires", "requires", Use::repeated},
    {"requires-dist", "requires_dist", Use::repeated},
    {"requires-external", "requires_external", Use::repeated},
    {"requires-python", "requires_python", Use::once},
    {"summary", "summary", Use::once},
    {"supported-platform", "supported_platform", Use::repeated},
    {"version", "version", Use::once},
}};

const Known* known(std::string_view header) {
  for (const Known& entry : kKnown) {
    if (entry.header == header) return &entry;
  }
  return nullptr;
}

/// The parts between separators, trimmed, joined by ", ".
std::string respaced(std::string_view text, size_t limit) {
  std::vector<std::string> parts;
  while (parts.size() + 1 < limit) {
    const size_t comma = text.find(',');
    if (comma == std::string_view::npos) break;
    parts.emplace_back(trim(text.substr(0, comma)));
    text.remove_prefix(comma + 1);
  }
  parts.emplace_back(trim(text));
  return join(parts, ", ");
}

std::string safe_name(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.';
    if (plain) {
      out += c;
    } else if (out.empty() || out.back() != '-') {
      out += '-';
    }
  }
  return out;
}

std::string form_value(std::string_view field, std::string_view value) {
  if (field == "name") return safe_name(value);
  if (field == "keywords") return respaced(value, value.size() + 2);
  if (field == "project_urls") return respaced(value, 2);
  return std::string(value);
}

/// In older metadata versions, backends wrote License-File with another meaning.
bool takes_license_files(const wheel::Metadata& metadata) {
  const pep::Version first{.release = {2, 4}};
  const Result<pep::Version> version = pep::parse_version(metadata.version_of_format());
  return version && *version >= first;
}

std::string python_tag(const Artifact& file) {
  if (file.kind == FileKind::sdist) return "source";
  const Result<pep::WheelName> name = pep::parse_wheel_name(file.filename);
  return name ? join(name->tags.python, ".") : std::string();
}

}  // namespace

Result<std::vector<ports::FormField>> metadata_fields(const wheel::Metadata& metadata) {
  const bool license_files = takes_license_files(metadata);
  std::set<std::string_view> seen;
  std::vector<ports::FormField> fields;
  for (const auto& [name, value] : metadata.block.headers) {
    const Known* entry = known(to_lower(name));
    if (entry == nullptr) {
      return fail(ErrorKind::check,
                  fmt::format("the metadata has the unknown header {}", quoted(name)));
    }
    if (!seen.insert(entry->field).second && entry->use == Use::once) {
      return fail(ErrorKind::check, fmt::format("the metadata has {} twice", quoted(name)));
    }
    if (entry->field == "license_file" && !license_files) continue;
    fields.push_back({std::string(entry->field), form_value(entry->field, value)});
  }
  const std::string body = metadata.block.body.value_or("");
  if (body.empty()) return fields;
  if (seen.count("description") == 1) {
    return fail(ErrorKind::check, "the metadata has both a `Description` header and a body");
  }
  fields.push_back({"description", body});
  return fields;
}

std::vector<ports::FormPart> upload_form(const Artifact& file) {
  std::vector<ports::FormPart> form;
  const auto add = [&form](std::string name, std::string value) {
    form.emplace_back(ports::FormField{std::move(name), std::move(value)});
  };
  add(":action", "file_upload");
  add("protocol_version", "1");
  add("filetype", file.kind == FileKind::wheel ? "bdist_wheel" : "sdist");
  add("pyversion", python_tag(file));
  add("sha256_digest", file.sha256);
  add("blake2_256_digest", file.blake2b_256);
  for (const ports::FormField& field : file.fields) form.emplace_back(field);
  if (!file.attestations.empty()) add("attestations", attestations_field(file.attestations));
  form.emplace_back(ports::FormFile{"content", file.filename, file.contents});
  return form;
}

}  // namespace pinwheel::publish
