#pragma once
// Reading torch's exports from a remote wheel
//
// A CUDA build of torch is a wheel of up to 900 MB. The table needs the exported names of its
// libraries, a few megabytes. A wheel is a zip file on a server that supports range requests, so
// in principle only those bytes have to be downloaded. The difficulty is that each library is one
// deflate stream, and deflate can only be read from the beginning.
//
// Location of the names: a library begins with the ELF header and the program headers. `.dynsym`,
// `.dynstr` and `.gnu.hash` usually follow at the beginning. The dynamic section, which has the
// addresses of these tables, comes near the end, after code and data. If the library is not
// stripped, tens of megabytes of symbol names that nobody needs come after it.
//
//     | headers | .gnu.hash .dynsym .dynstr | code, device code | .dynamic | .symtab .strtab |
//       head                                                      middle     tail
//
// - The archive's directory is at the end of the file: one request.
// - The head of a stream is inflated as usual, as far as needed (`wheel::inflate_head`).
// - The tail cannot be inflated from its beginning. But deflate consists of blocks, a block does
//   not depend on its position, and matches reach back at most 32 KiB. `wheel::inflate_tail` tries
//   every bit of the compressed tail as the start of a block with its own Huffman codes, and
//   accepts the one from which decoding arrives exactly at the end of the stream. Bytes that were
//   copied from before the entry point are unknown; after 32 KiB of known output there are none.
// - The middle is found by bisection. `MemberSource::seek` inflates a chunk from the middle of the
//   compressed stream, whose offset in the library is unknown, and `binary::DynamicLandmark`
//   guesses from its contents on which side the dynamic section is: names and symbol table entries
//   come after it, everything else before it. Only a chunk with entries that point to the three
//   tables counts as found.
//
// Every step may guess wrong, so nothing is trusted. The hash table of the library has a hash of
// each name, and `binary::read_exports` compares them all. If something does not fit, the member is
// read whole and verified by its CRC-32. A wrong guess costs time, never a wrong table.
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "exports/table.h"
#include "ports/byte_source.h"
#include "ports/files.h"
#include "ports/process.h"

namespace pinwheel::host {

/// The parsed file name of a torch wheel for Linux.
struct TorchWheel {
  exports::Build build;
  std::string python;  ///< the ABI tag, "cp311", "cp313t"
};
/// nullopt for any other file.
std::optional<TorchWheel> parse_torch_wheel(std::string_view filename);

/// The libraries of a wheel to read.
enum class TorchLibraries {
  all,
  of_python,  ///< those that differ between Pythons: libtorch_python
};

/// The exports of a wheel. Only small parts of a remote archive are read; a member whose partial
/// data cannot be verified is read completely. Kind `check` for a corrupt wheel, `config` for a
/// file that is not a torch wheel for Linux.
Result<exports::Snapshot> read_torch_wheel(const ports::ByteSource& source,
                                           std::string_view filename, TorchLibraries which);

/// The exports of the torch installed in `directory`: site-packages, or `torch` in it. Kind
/// `config` if there is none.
Result<exports::Snapshot> read_torch_directory(const std::filesystem::path& directory,
                                               ports::Files& files);

/// The site-packages directory for a path: the path itself, or the parent of a path to `torch`.
Result<std::filesystem::path> torch_site(const std::filesystem::path& place, ports::Files& files);

/// The site-packages directory from which a Python imports torch. `environment` if it has no torch.
Result<std::filesystem::path> torch_site_of(const std::string& python, ports::Process& process,
                                            const std::map<std::string, std::string>& variables);

}  // namespace pinwheel::host
