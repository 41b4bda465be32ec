#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace pinwheel::publish {

/// The stage of one file in an upload.
enum class UploadStage {
  sending,        ///< its bytes are sent next; the outcome is unknown until `sent`
  sent,           ///< the index accepted it
  already_there,  ///< the index already had the same bytes
};

std::string_view to_string(UploadStage stage);

struct UploadEvent {
  UploadStage stage = UploadStage::sending;
  std::string target;  ///< "pypi"
  std::string filename;
  std::string sha256;
  uint64_t size = 0;  ///< bytes
  size_t number = 1;  ///< index of the file in upload order, from 1
  size_t count = 1;   ///< total number of files
  int attempt = 1;    ///< number of the attempt, from 1
};

/// "uploading a.whl (3/5, 12 MB) to pypi", "uploaded a.whl (3/5, 12 MB) to pypi, sha256=..",
/// "already in pypi: a.whl (3/5, 12 MB), sha256=.."; with a newline.
std::string to_line(const UploadEvent& event);

/// One JSON object with the member `event` "upload", as a line.
std::string to_json_line(const UploadEvent& event);

}  // namespace pinwheel::publish
