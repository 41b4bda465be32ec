#pragma once
#include <fmt/format.h>

#include <string>

namespace pinwheel::wheel {

inline const std::string kTarEnd(1024, '\0');

/// A header with the correct checksum for its contents.
inline std::string with_sum(std::string header) {
  header.replace(148, 8, "        ");
  unsigned sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  return header.replace(148, 7, fmt::format("{:06o}", sum) + std::string(1, '\0'));
}

/// One member of a ustar archive, written independently of the writer under test.
inline std::string tar_entry(const std::string& name, const std::string& contents, char type = '0',
                             const std::string& target = {}) {
  std::string header(512, '\0');
  header.replace(0, name.size(), name);
  header.replace(100, 7, "0000644");
  header.replace(124, 11, fmt::format("{:011o}", contents.size()));
  header[156] = type;
  header.replace(157, target.size(), target);
  header.replace(257, 5, "ustar");
  std::string body = contents;
  body.resize((contents.size() + 511) / 512 * 512, '\0');
  return with_sum(header) + body;
}

}  // namespace pinwheel::wheel
