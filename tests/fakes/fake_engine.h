#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/text.h"
#include "fakes/fake_host.h"

namespace pinwheel::fakes {

/// A container engine on the PATH of a fake host: its images are texts in memory.
class FakeEngine {
 public:
  explicit FakeEngine(FakeHost& fake) {
    fake.files.put(kClient, "");
    fake.host.variables["PATH"] = "/fake/bin";
    fake.process.run = [this, others = fake.process.run](const ports::Command& command) {
      return command.argv.front() == kClient ? answer(command.argv) : others(command);
    };
  }
  FakeEngine(const FakeEngine&) = delete;
  FakeEngine& operator=(const FakeEngine&) = delete;

  static constexpr const char* kClient = "/fake/bin/docker";

  std::vector<std::string> changes = {};  ///< "pull debian:12", "build BASE", "tag ID NAME"
  std::string version = "20.10.24";
  bool answers = true;  ///< the daemon does
  bool client_hangs = false;
  bool has_plugin = true;    ///< buildx
  std::string refused = {};  ///< a change that begins like this fails
  std::vector<std::string> in_registry = {};

  /// An image that is here, and its id.
  std::string add(const std::string& name, const std::string& labels = "") {
    const std::string id = "sha256:" + sha256_hex(name);
    const std::string json = R"([{"Id": ")" + id + R"(", "Architecture": "amd64", )" +
                             R"("RepoDigests": ["docker.io/)" + name + R"(@sha256:1"], )" +
                             R"("Config": {"Env": [], "Labels": {)" + labels + "}}}]";
    images_[name] = json;
    images_[id] = json;
    return id;
  }

 private:
  static ports::Captured said(std::string text) { return {{}, std::move(text), ""}; }
  static ports::Captured failed(std::string why) { return {{.code = 1}, "", std::move(why)}; }

  Result<ports::Captured> answer(const std::vector<std::string>& argv) {
    const std::string& verb = argv.at(1);
    if (client_hangs) return ports::Captured{{.timed_out = true}, "", ""};
    if (verb == "--version") return said("Docker version " + version + ", build 1");
    if (verb == "buildx") return has_plugin ? said("") : failed("no plugin");
    if (verb == "version") return answers ? said(version) : failed("no daemon\n");
    if (verb == "image") {
      const auto found = images_.find(argv.back());
      return found == images_.end() ? failed("no such image") : said(found->second);
    }
    if (verb == "images") {
      const auto found = by_key_.find(argv.back());
      return said(found == by_key_.end() ? std::string() : found->second + "\n");
    }
    return change(argv);
  }
  Result<ports::Captured> change(const std::vector<std::string>& argv) {
    const std::string& verb = argv.at(1);
    std::string line = verb + " " + argv.back();
    if (verb == "tag") line = join({"tag", argv.at(2), argv.at(3)}, " ");
    changes.push_back(line);
    if (!refused.empty() && line.starts_with(refused)) return failed(line + " is refused\n");
    if (verb == "pull") {
      for (const std::string& name : in_registry) {
        if (name == argv.back()) add(name);
      }
      return images_.contains(argv.back()) ? said("") : failed("not in the registry\n");
    }
    if (verb == "build") build(argv);
    return said("");
  }
  void build(const std::vector<std::string>& argv) {
    for (size_t i = 0; i + 1 < argv.size(); ++i) {
      if (argv[i] != "--label") continue;
      const std::string key = argv[i + 1].substr(argv[i + 1].find('=') + 1);
      by_key_["label=" + argv[i + 1]] = add("built", R"("io.pinwheel.key": ")" + key + "\"");
    }
  }

  std::map<std::string, std::string> images_ = {};
  std::map<std::string, std::string> by_key_ = {};
};

}  // namespace pinwheel::fakes
