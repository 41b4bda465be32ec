#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "ports/byte_source.h"
#include "ports/http.h"
#include "publish/attestation.h"
#include "wheel/variant_metadata.h"

namespace pinwheel::publish {

enum class FileKind { wheel, sdist };

/// A file to publish, with all facts needed for decisions, read once.
struct Artifact {
  std::filesystem::path path;
  /// The open file, from which all facts were read and which is sent, even if another program
  /// replaces it.
  std::shared_ptr<const ports::ByteSource> contents = nullptr;
  std::string filename;
  FileKind kind = FileKind::wheel;
  uint64_t size = 0;          ///< bytes
  std::string sha256;         ///< hexadecimal
  std::string blake2b_256;    ///< hexadecimal
  std::string name;           ///< as written in METADATA or PKG-INFO
  std::string version;        ///< as written in METADATA or PKG-INFO
  std::string metadata = {};  ///< the bytes of METADATA or PKG-INFO
  std::optional<wheel::VariantMetadata> variant = std::nullopt;  ///< of a wheel variant
  /// Signed statements about it, which the index gets with the file.
  std::vector<Attestation> attestations = {};
  /// The metadata as upload form fields, see `metadata_fields`.
  std::vector<ports::FormField> fields = {};
  /// Violations of PyPI's rules for zip files, one finding each.
  std::vector<Error> archive_findings = {};
  /// Other faults of the contents, independent of the index; empty for a wheel that was not
  /// checked.
  std::vector<Error> content_findings = {};
};

}  // namespace pinwheel::publish
