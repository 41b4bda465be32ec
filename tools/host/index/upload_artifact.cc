#include "host/index/upload_artifact.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/digest.h"
#include "base/limits.h"
#include "base/text.h"
#include "host/system/file_source.h"
#include "pep/wheel_name.h"
#include "publish/sdist_metadata.h"
#include "publish/upload_form.h"
#include "wheel/archive.h"
#include "wheel/gzip_stream.h"
#include "wheel/metadata.h"
#include "wheel/metadata_rules.h"
#include "wheel/zip_rules.h"

namespace pinwheel::host {

namespace {

using publish::Artifact;
using publish::FileKind;

Done read_digests(const ports::ByteSource& source, Artifact& file) {
  constexpr uint64_t kPiece = 1ULL << 20U;
  Sha256 sha256;
  Blake2b256 blake2b;
  for (uint64_t at = 0; at < source.size(); at += kPiece) {
    TRY(const std::string piece, source.read(at, std::min(kPiece, source.size() - at)));
    sha256.update(piece);
    blake2b.update(piece);
  }
  file.size = source.size();
  file.sha256 = to_hex(sha256.finish());
  file.blake2b_256 = to_hex(blake2b.finish());
  return {};
}

Done read_wheel_metadata(const ports::ByteSource& source, Artifact& file) {
  TRY(const wheel::WheelArchive archive, wheel::open_wheel(file.filename, source));
  TRY(file.metadata, archive.read_info("METADATA"));
  const Result<pep::WheelName> name = pep::parse_wheel_name(file.filename);
  if (!name || name->variant.empty()) return {};
  TRY(const std::string variant, archive.read_info("variant.json"));
  TRY(file.variant, wheel::parse_variant_metadata(variant));
  return {};
}

std::vector<Error> archive_findings(const ports::ByteSource& source, const std::string& filename) {
  std::vector<Error> out;
  for (const wheel::ZipFault& fault : wheel::zip_faults(source)) {
    out.push_back(Error{ErrorKind::check,
                        fmt::format("{}: {}", quoted(filename), fault.message),
                        std::nullopt,
                        fault.hint,
                        {}});
  }
  return out;
}

Result<publish::SdistContents> read_sdist_contents(const ports::ByteSource& source) {
  wheel::GzipStream tar(source, limits::kUnpackedSdist);
  return publish::sdist_metadata(tar);
}

std::vector<Error> sdist_findings(const wheel::Metadata& metadata,
                                  const publish::SdistContents& contents,
                                  const std::string& filename) {
  std::vector<Error> out;
  for (wheel::MetadataFault& fault : wheel::sdist_faults(metadata, contents.files)) {
    out.push_back(Error{ErrorKind::check,
                        fmt::format("{} {}", quoted(filename), fault.message),
                        std::nullopt,
                        std::move(fault.hint),
                        {}});
  }
  return out;
}

Result<Artifact> read_parts(const std::filesystem::path& path) {
  Artifact file;
  file.path = path;
  file.filename = path.filename().string();
  const bool is_wheel = file.filename.ends_with(".whl");
  if (!is_wheel && !file.filename.ends_with(".tar.gz")) {
    return fail(ErrorKind::config, "it is neither a wheel nor an sdist",
                "publish files that end in .whl or .tar.gz");
  }
  file.kind = is_wheel ? FileKind::wheel : FileKind::sdist;
  TRY(const std::shared_ptr<const FileSource> source, FileSource::open(path));
  file.contents = source;
  TRY_DONE(read_digests(*source, file));
  publish::SdistContents sdist;
  if (is_wheel) {
    TRY_DONE(read_wheel_metadata(*source, file));
    file.archive_findings = archive_findings(*source, file.filename);
  } else {
    TRY(sdist, read_sdist_contents(*source));
    file.metadata = sdist.metadata;
  }
  TRY(const wheel::Metadata metadata, wheel::parse_metadata(file.metadata));
  if (!is_wheel) file.content_findings = sdist_findings(metadata, sdist, file.filename);
  file.name = metadata.name();
  file.version = metadata.version();
  TRY(file.fields, publish::metadata_fields(metadata));
  return file;
}

}  // namespace

Result<Artifact> read_artifact(const std::filesystem::path& path) {
  Result<Artifact> file = read_parts(path);
  if (file) return file;
  Error error{file.error().kind,
              fmt::format("{} cannot be published", quoted(path.string())),
              std::nullopt,
              file.error().hint,
              {}};
  return fail(std::move(error).with_cause(std::move(file).error()));
}

Result<std::vector<Artifact>> read_artifacts(const std::vector<std::filesystem::path>& paths) {
  std::vector<Artifact> files;
  for (const std::filesystem::path& path : paths) {
    TRY(Artifact file, read_artifact(path));
    files.push_back(std::move(file));
  }
  return files;
}

Result<std::vector<publish::Attestation>> stored_attestations(const Artifact& file,
                                                              ports::Files& files) {
  std::vector<publish::Attestation> stored;
  for (const std::string& name : publish::attestation_names(file.filename)) {
    const std::filesystem::path path = file.path.parent_path() / name;
    if (files.resolved_type(path) != ports::FileType::regular) continue;
    TRY(const std::string text, files.read(path, limits::kMetadata));
    const auto named = [&path](Error error) {
      return fail(std::move(error).with_location({.file = path.string(), .excerpt = {}}));
    };
    Result<std::vector<publish::Attestation>> parsed = publish::parse_attestations(text);
    if (!parsed) return named(std::move(parsed).error());
    for (publish::Attestation& attestation : *parsed) {
      const Done about = publish::check_attested(attestation, {file.filename, file.sha256});
      if (!about) return named(about.error());
      if (attestation.form == publish::AttestationForm::bundle) {
        return named({ErrorKind::check,
                      "indexes accept attestations of PEP 740, and this is a "
                      "bundle of Sigstore"});
      }
      stored.push_back(std::move(attestation));
    }
  }
  return stored;
}

}  // namespace pinwheel::host
