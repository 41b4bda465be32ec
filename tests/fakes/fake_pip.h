#pragma once
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "base/digest.h"
#include "base/text.h"
#include "fakes/fake_host.h"

namespace pinwheel::fakes {

/// The pip of environments on a fake host: whatever it is asked for, it finds the same packages.
class FakePip {
 public:
  explicit FakePip(FakeHost& fake) : fake_(fake) {
    fake.process.run = [this, others = fake.process.run](
                           const ports::Command& command) -> Result<ports::Captured> {
      const auto report = std::ranges::find(command.argv, "--report");
      if (report != command.argv.end()) return resolve(command.argv, *(report + 1));
      const bool own = command.argv.front().find("/tools/pip-") != std::string::npos;
      return own ? ports::Captured{} : others(command);
    };
  }
  FakePip(const FakePip&) = delete;
  FakePip& operator=(const FakePip&) = delete;

  std::map<std::string, std::string> packages = {{"numpy", "2.0.0"}};  ///< name -> version
  std::string refusal = {};             ///< what it prints before it fails; empty: it does not
  std::string refused = {};             ///< only a resolution whose command has this fails
  std::vector<std::string> asked = {};  ///< the last argument of each resolution
  std::vector<std::string> constraints = {};  ///< of each resolution that has some

 private:
  Result<ports::Captured> resolve(const std::vector<std::string>& argv, const std::string& report) {
    asked.push_back(argv.back());
    const auto constraint = std::ranges::find(argv, "--constraint");
    if (constraint != argv.end()) constraints.push_back(fake_.files.text(*(constraint + 1)));
    const bool concerned = join(argv, " ").find(refused) != std::string::npos;
    if (!refusal.empty() && concerned) return ports::Captured{{.code = 1}, "", refusal};
    std::vector<std::string> items;
    for (const auto& [name, version] : packages) {
      items.push_back(R"({"metadata": {"name": ")" + name + R"(", "version": ")" + version +
                      R"("}, "download_info": {"url": "https://example.org/)" + name + "-" +
                      version + R"(-py3-none-any.whl", "archive_info": {"hashes": {"sha256": ")" +
                      sha256_hex(name + version) + R"("}}}})");
    }
    fake_.files.put(report, R"({"pip_version": "26.0", "install": [)" + join(items, ", ") + "]}");
    return ports::Captured{};
  }

  FakeHost& fake_;
};

}  // namespace pinwheel::fakes
