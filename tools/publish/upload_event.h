#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace pinwheel::publish {

/// What an upload is about to do, or has done, with one of its files.
enum class UploadStage {
  sending,        ///< its bytes go out next; whether they arrive is open until `sent`
  sent,           ///< the index took it
  already_there,  ///< the index held these very bytes before
};

std::string_view to_string(UploadStage stage);

struct UploadEvent {
  UploadStage stage = UploadStage::sending;
  std::string target;  ///< "pypi"
  std::string filename;
  std::string sha256;
  uint64_t size = 0;  ///< bytes
  size_t number = 1;  ///< the file's place in the order of the upload, from 1
  size_t count = 1;   ///< files in all
  int attempt = 1;    ///< times it was sent, this one included
};

/// "uploading a.whl (3/5, 12 MB) to pypi", "uploaded a.whl (3/5, 12 MB) to pypi, sha256=..",
/// "already in pypi: a.whl (3/5, 12 MB), sha256=.."; with a newline.
std::string to_line(const UploadEvent& event);

/// One JSON object with the member `event` "upload", as a line.
std::string to_json_line(const UploadEvent& event);

}  // namespace pinwheel::publish
