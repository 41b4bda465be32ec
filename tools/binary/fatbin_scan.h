#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "binary/device_code.h"

namespace pinwheel::binary {

/// A CUDA fat binary container that was seen passing by.
struct FatbinContainer {
  uint64_t offset = 0;                        ///< of its header in the file
  uint64_t end = 0;                           ///< in the file
  bool zeros_before = false;                  ///< nothing but zeros since the container before it
  std::vector<DeviceCode> code = {};          ///< `unit` is not set
  std::optional<Error> fault = std::nullopt;  ///< why it is none, or damaged
};

/// Finds the containers in a file that passes by once, in pieces: what is too large to be held.
/// Which of them lie in a section for them shows only when the end of the file is known.
class FatbinScanner {
 public:
  explicit FatbinScanner(uint64_t file_size) : file_size_(file_size) {}

  /// The next bytes of the file; the length of each piece but the last divides by 8.
  void feed(std::string_view piece);
  const std::vector<FatbinContainer>& containers() const { return containers_; }

 private:
  void search(std::string_view& piece);
  void skip(std::string_view& piece);
  void collect(std::string_view& piece);
  void take_container();
  void take_entry();
  void next_entry();
  void give_up(Error error);
  void pass(std::string_view& piece, uint64_t length);

  uint64_t file_size_;
  uint64_t position_ = 0;
  uint64_t skip_ = 0;    ///< bytes of a payload still to come
  uint64_t wanted_ = 0;  ///< bytes of a header that are being collected
  bool inside_ = false;  ///< whether the header is an entry's
  bool zeros_ = false;   ///< only zeros since the last container
  std::string header_;
  std::vector<FatbinContainer> containers_;
};

}  // namespace pinwheel::binary
