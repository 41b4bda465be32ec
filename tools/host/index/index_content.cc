#include "host/index/index_content.h"

#include <map>
#include <utility>

#include "base/digest.h"
#include "pep/name.h"
#include "publish/preflight.h"
#include "publish/retention.h"

namespace pinwheel::host {
namespace {

using publish::Artifact;

std::string requires_python(const Artifact& file) {
  for (const ports::FormField& field : file.fields) {
    if (field.name == "requires_python") return field.value;
  }
  return {};
}

publish::Addition addition_of(const IndexEntry& entry, const std::string& home,
                              const std::string& upload_time) {
  const Artifact& file = entry.file;
  const bool with_metadata = file.kind == publish::FileKind::wheel && entry.url.empty();
  return {file.filename,
          pep::normalize_name(file.name),
          entry.label,
          entry.in_root,
          {entry.url.empty() ? home : entry.url, file.sha256, file.size, requires_python(file),
           with_metadata ? sha256_hex(file.metadata) : std::string(), upload_time},
          entry.also_listed,
          file.variant};
}

}  // namespace

Done check_entries(const std::vector<IndexEntry>& entries) {
  // A file under several labels is checked once.
  std::map<std::string, Artifact> distinct;
  for (const IndexEntry& entry : entries) {
    distinct.emplace(entry.file.filename + "\n" + entry.file.sha256, entry.file);
  }
  std::vector<Artifact> files;
  files.reserve(distinct.size());
  for (const auto& [key, file] : distinct) files.push_back(file);
  std::vector<Error> findings = publish::preflight(files, {});
  if (findings.empty()) return {};
  return fail(Error{ErrorKind::check, "the files failed the index checks, nothing was written",
                    std::nullopt, "fix each finding", std::move(findings)});
}

Result<NextContent> next_content(publish::Catalog held, const std::vector<IndexEntry>& entries,
                                 const std::vector<std::string>& homes,
                                 const RetentionOptions& options, const std::string& upload_time) {
  std::vector<publish::Addition> additions;
  additions.reserve(entries.size());
  for (size_t i = 0; i < entries.size(); ++i) {
    additions.push_back(
        addition_of(entries[i], i < homes.size() ? homes[i] : std::string(), upload_time));
  }
  TRY(publish::Merge merge, publish::add(std::move(held), additions));
  if (!options.nightlies) return NextContent{std::move(merge)};
  publish::Retention retention =
      publish::keep_nightlies(std::move(merge.catalog), *options.nightlies, additions);
  merge.catalog = std::move(retention.catalog);
  return NextContent{std::move(merge), std::move(retention.retired)};
}

IndexPublication publication_of(const std::vector<IndexEntry>& entries,
                                const NextContent& content) {
  IndexPublication publication{{}, content.retired};
  for (size_t i = 0; i < entries.size(); ++i) {
    const publish::Outcome outcome = content.merge.outcomes[i];
    publication.files.push_back({entries[i].file.filename,
                                 entries[i].file.sha256,
                                 outcome,
                                 outcome == publish::Outcome::uploaded ? 1 : 0,
                                 {}});
  }
  return publication;
}

}  // namespace pinwheel::host
