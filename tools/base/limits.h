#pragma once
#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace pinwheel {

/// The most bytes to read of an external input.
struct ByteLimit {
  std::string_view of;  ///< "a simple page"
  uint64_t most = 0;
};
/// The same for a part of an input: at least that many bytes, or that many times the size of the
/// whole, so that memory is proportional to the existing data.
struct ScaledLimit {
  ByteLimit least;
  uint64_t times = 0;

  constexpr ByteLimit of(uint64_t whole) const {
    return {least.of, std::max(least.most, times * whole)};
  }
};
/// The most parts of an external input to read.
struct CountLimit {
  std::string_view parts;  ///< "members"
  std::string_view of;     ///< "an archive"
  uint64_t most = 0;
};

/// Everything that is read into memory, or parsed, has one of these limits, far above existing
/// inputs: the largest page of PyPI has about 20 MB, and the largest RECORD 30,000 lines. They
/// limit the memory of a command to 1 GB for any input. The table in docs/cli.md lists them.
namespace limits {

inline constexpr uint64_t kMega = 1'000'000;

// Replies of a server.
inline constexpr ByteLimit kSimplePage{"a simple page", 40 * kMega};
inline constexpr CountLimit kSimpleFiles{"files", "a simple page", 200'000};
inline constexpr CountLimit kRootLinks{"links", "the page of an index", 1'000'000};
inline constexpr CountLimit kIndexPages{"pages", "an index", 20'000};
inline constexpr CountLimit kIndexFiles{"files", "an index", 500'000};
inline constexpr ByteLimit kBucketState{"the state of an index in a bucket", 64 * kMega};
inline constexpr ByteLimit kHtmlTag{"a tag of an HTML page", kMega / 10};
inline constexpr ByteLimit kBaseUrl{"the base URL of a page", 2000};
inline constexpr ByteLimit kUploadReply{"the reply to an upload", kMega / 10};
inline constexpr ByteLimit kTokenReply{"a reply with a token", kMega / 10};
inline constexpr ByteLimit kGithubReply{"a reply of GitHub", 40 * kMega};
inline constexpr ByteLimit kDownload{"a download", 20'000 * kMega};
inline constexpr ByteLimit kReplyHeader{"the header of a reply", kMega / 4};
inline constexpr ByteLimit kStoreFile{"a file of a store", 20'000 * kMega};

// Archives, and the statements in them.
inline constexpr CountLimit kMembers{"members", "an archive", 200'000};
inline constexpr ByteLimit kDirectory{"the directory of a zip file", 60 * kMega};
inline constexpr uint64_t kUnpackedRatio =
    50;  ///< an archive may unpack to this many times its size
inline constexpr uint64_t kUnpackedFree = 64 << 20U;  ///< any ratio is accepted up to this size
inline constexpr ByteLimit kMetadata{"the metadata of a package", 8 * kMega};
inline constexpr ByteLimit kRecord{"a RECORD", 40 * kMega};
inline constexpr ByteLimit kVariantMetadata{"the metadata of wheel variants", kMega};
inline constexpr CountLimit kRecordLines{"lines", "a RECORD", 200'000};
inline constexpr ByteLimit kTarHeader{"the extended header of a tar archive", kMega};
inline constexpr ByteLimit kWheel{"a wheel", 20'000 * kMega};
inline constexpr ByteLimit kSdist{"an sdist", 1000 * kMega};
inline constexpr ByteLimit kUnpackedSdist{"an unpacked sdist", 4000 * kMega};
inline constexpr ByteLimit kFinishedSdist{"an unpacked sdist to rewrite", 350 * kMega};
inline constexpr ScaledLimit kFinishedWheel{{"an unpacked wheel to rewrite", 700 * kMega}, 7};
inline constexpr ScaledLimit kEditedLibrary{{"a library of a wheel that is edited", 450 * kMega},
                                            4};

inline constexpr ByteLimit kElfNames{"the names of an ELF file", 120 * kMega};
inline constexpr CountLimit kElfSymbols{"symbols", "an ELF file", 1'000'000};
inline constexpr CountLimit kElfSections{"sections", "an ELF file", 300'000};
inline constexpr CountLimit kElfSegments{"segments", "an ELF file", 1000};
inline constexpr ByteLimit kElfDynamic{"the dynamic section of an ELF file", kMega};
inline constexpr ByteLimit kWheelSymbols{"the symbols of a wheel", 250 * kMega};

// CUDA fat binaries and HIP bundles: containers, and the entries of their tables.
inline constexpr CountLimit kDeviceCode{"pieces of GPU code", "an ELF file", 200'000};
inline constexpr ByteLimit kGpuTarget{"the name of a GPU target", kMega / 1000};
inline constexpr ByteLimit kBundleTable{"the table of a HIP bundle", kMega};
inline constexpr ByteLimit kCubin{"a cubin", 96 * kMega};
inline constexpr CountLimit kWheelKernels{"kernels", "a wheel", 500'000};
inline constexpr ByteLimit kKernelNames{"the names of the kernels of a wheel", 250 * kMega};
inline constexpr CountLimit kWheelDeviceCode{"pieces of GPU code", "a wheel", 600'000};

// Files that people or other tools write.
inline constexpr ByteLimit kMatrix{"a matrix file", 8 * kMega};
inline constexpr ByteLimit kProjectFile{"a file of a project", 8 * kMega};
inline constexpr ByteLimit kBuildScript{"a build script", kMega / 2};
inline constexpr ByteLimit kFile{"a file without a limit of its own", 64 * kMega};
inline constexpr ByteLimit kNinjaManifest{
    "a `build.ninja` with the files that it includes and the values of its variables", 256 * kMega};
inline constexpr CountLimit kNinjaFiles{"included files", "a `build.ninja`", 10'000};
inline constexpr CountLimit kNinjaLevels{"levels of included files", "a `build.ninja`", 100};
inline constexpr ByteLimit kJournal{"a journal", 250 * kMega};
inline constexpr ByteLimit kExports{"a table of exports", 250 * kMega};
inline constexpr ByteLimit kLock{"a lock", 8 * kMega};
inline constexpr ByteLimit kPipReport{"pip's report", 40 * kMega};
inline constexpr ByteLimit kCredentials{"a file of credentials", kMega};
inline constexpr ByteLimit kPlan{"a frozen plan", 32 * kMega};
inline constexpr ByteLimit kReport{"a report", 32 * kMega};
inline constexpr ByteLimit kReleaseRecord{"a record of a release", 8 * kMega};
inline constexpr CountLimit kRecordedFiles{"files", "a record of a release", 10'000};
inline constexpr uint64_t kJsonLevels = 100;  ///< of lists and objects in JSON
inline constexpr uint64_t kTomlLevels = 100;  ///< of tables, lists and parts of keys in TOML
inline constexpr uint64_t kReportPlaces =
    64;  ///< positions in a text where a report may begin, from the end

}  // namespace limits

/// "X is larger than the limit of 40 MB for a simple page", kind `check`. The caller applies
/// `quoted` to an external subject.
Error too_large(std::string_view subject, const ByteLimit& limit);
/// "X has more than 200000 members, the limit for an archive", kind `check`.
Error too_many(std::string_view subject, const CountLimit& limit);
/// `too_large` if it has more bytes than the limit.
Done check_size(std::string_view subject, uint64_t bytes, const ByteLimit& limit);

}  // namespace pinwheel
