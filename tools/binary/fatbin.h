#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "binary/code_list.h"
#include "binary/device_code.h"
#include "binary/window.h"

namespace pinwheel::binary {

/// Adds the entries of the CUDA fat binary containers that fill a section (`.nv_fatbin`,
/// `__nv_relfatbin`): one container for each translation unit, with zeros between them. Nothing is
/// decompressed. Kind `check` when a container or an entry does not fit, or the section has other
/// contents, or there are too many.
Done read_fatbins(Window& section, CodeList& out);

/// The same for containers anywhere in a segment, aligned to 8 bytes: a match that does not fit is
/// taken for other data; an entry that does not fit its container is an error.
Done find_fatbins(Window& segment, CodeList& out);

// The headers of a CUDA fat binary, shared by the readers of sections and of streams.

inline constexpr uint32_t kFatbinMagic = 0xba55ed50;
inline constexpr uint64_t kFatbinHeader = 16;
inline constexpr uint64_t kFatbinEntryHeader =
    64;  ///< the part common to every version of the format

/// "the CUDA fat binary is corrupt: ...", kind `check`.
tl::unexpected<Error> broken_fatbin(const std::string& why);

struct FatbinEntry {
  DeviceCode code;
  uint64_t length = 0;  ///< header and payload
};

/// A CUDA fat binary container found in a stream.
struct FatbinContainer {
  uint64_t offset = 0;                        ///< file offset of its header
  uint64_t end = 0;                           ///< file offset
  bool zeros_before = false;                  ///< only zeros since the previous container
  std::vector<DeviceCode> code = {};          ///< `unit` is not set
  std::optional<Error> fault = std::nullopt;  ///< why it is not a container, or is corrupt
};

/// Finds the containers in a file that is streamed once, in chunks, because it does not fit in
/// memory. Which of them lie in a device code section is known only at the end of the file.
class FatbinScanner {
 public:
  explicit FatbinScanner(uint64_t file_size) : file_size_(file_size) {}

  /// The next bytes of the file; the length of every chunk but the last is a multiple of 8.
  void feed(std::string_view piece);
  const std::vector<FatbinContainer>& containers() const { return containers_; }
  /// Whether there are more than `limits::kDeviceCode`: the rest of the file is not searched.
  bool is_over() const { return is_over_; }

 private:
  void search(std::string_view& piece);
  void skip(std::string_view& piece);
  void collect(std::string_view& piece);
  void take_container();
  void take_entry();
  void next_entry();
  void reject(Error error);
  void advance(std::string_view& piece, uint64_t length);
  void count();

  uint64_t file_size_;
  uint64_t position_ = 0;
  uint64_t skip_ = 0;    ///< remaining bytes of a payload
  uint64_t wanted_ = 0;  ///< length of the header being collected
  bool inside_ = false;  ///< whether it is the header of an entry
  bool zeros_ = false;   ///< only zeros since the last container
  bool is_over_ = false;
  uint64_t pieces_ = 0;
  std::string header_;
  std::vector<FatbinContainer> containers_;
};

}  // namespace pinwheel::binary
