#pragma once
#include <sys/types.h>

#include <string>
#include <vector>

namespace pinwheel {

/// tests/fakes/index_server.py, or another server of tests/fakes, as a child process on a free
/// port; stopped by the destructor.
class FakeIndex {
 public:
  explicit FakeIndex(std::vector<std::string> arguments = {},
                     const std::string& script = "index_server.py");
  ~FakeIndex();
  FakeIndex(const FakeIndex&) = delete;
  FakeIndex& operator=(const FakeIndex&) = delete;

  std::string url() const;  ///< "http://127.0.0.1:<port>"

 private:
  pid_t pid_ = -1;
  int stdin_ = -1;
  int port_ = 0;
};

}  // namespace pinwheel
