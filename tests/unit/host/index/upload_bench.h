#pragma once
#include <fmt/format.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/digest.h"
#include "base/text.h"
#include "host/index/upload.h"
#include "host/net/http.h"
#include "unit/catch.h"
#include "unit/host/fake_index.h"

namespace pinwheel {

using publish::Artifact;
using publish::FileKind;

inline constexpr const char* kToken = "pypi-canary-0123456789";

/// A release of two wheels and an sdist, an index, and the events of the upload.
struct UploadBench {
  explicit UploadBench(std::vector<std::string> arguments = {})
      : index(with_token(std::move(arguments))) {}

  static std::vector<std::string> with_token(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--token", kToken});
    return arguments;
  }

  Artifact file(const std::string& filename, FileKind kind = FileKind::wheel,
                const std::string& salt = "") const {
    const std::string bytes = "contents of " + filename + salt + std::string(100'000, '.');
    Artifact file;
    file.contents = std::make_shared<ports::MemorySource>(bytes);
    file.filename = filename;
    file.kind = kind;
    file.size = bytes.size();
    file.sha256 = sha256_hex(bytes);
    Blake2b256 blake;
    blake.update(bytes);
    file.blake2b_256 = to_hex(blake.finish());
    file.name = replace_all(filename.substr(0, filename.find('-')), "_", "-");
    file.version = "1.0";
    file.fields = {{"metadata_version", "2.1"}, {"name", file.name}, {"version", "1.0"}};
    return file;
  }
  std::vector<Artifact> release() const {
    return {file("demo_ops-1.0.tar.gz", FileKind::sdist), file("demo_ops-1.0-py3-none-any.whl"),
            file("demo_ops-1.0-cp312-cp312-manylinux_2_28_x86_64.whl")};
  }

  Result<std::vector<host::FileOutcome>> upload(const std::vector<Artifact>& files,
                                                const std::string& token = kToken) {
    const host::UploadTarget target{"local", *publish::endpoint(index.url() + "/"),
                                    ports::BasicCredentials{"__token__", Secret(token)}};
    host::UploadOptions options;
    options.attempts = 3;
    options.looks = looks;
    options.at_once = at_once;
    options.build_number = build_number;
    host::UploadHooks hooks;
    hooks.sleep = [this](std::chrono::milliseconds delay) {
      waits.push_back(delay);
      return !stopped;
    };
    hooks.event = [this](const publish::UploadEvent& event) {
      journal.push_back(fmt::format("{} {} {}/{} {}", publish::to_string(event.stage),
                                    event.filename, event.number, event.count, event.attempt));
    };
    hooks.notice = [this](std::string_view line) { notices.emplace_back(line); };
    hooks.attest = attest;
    host::CurlHttp curl({.bounds = bounds});
    ports::Http& http = watched ? watched(curl) : curl;
    return host::upload_release(files, target, options, http, hooks);
  }

  nlohmann::json log() const {
    const auto reply = host::CurlHttp().send({.url = index.url() + "/log"});
    REQUIRE(reply);
    return nlohmann::json::parse(reply->body);
  }
  int pages_read() const {
    const auto reply = host::CurlHttp().send({.url = index.url() + "/pages-read"});
    REQUIRE(reply);
    return std::stoi(reply->body);
  }
  /// The file names in the order in which they were sent.
  std::vector<std::string> sent() const {
    std::vector<std::string> names;
    for (const auto& entry : log()) {
      for (const auto& field : entry["fields"]) {
        if (field[0] == "content") names.push_back(field[1]["filename"]);
      }
    }
    return names;
  }

  FakeIndex index;
  host::HttpBounds bounds = {};
  int looks = host::UploadOptions().looks;
  uint64_t build_number = 0;
  size_t at_once = 1;
  /// The connection that the upload uses instead of this one; it uses this one.
  std::function<ports::Http&(ports::Http& inner)> watched = {};
  bool stopped = false;
  std::vector<std::chrono::milliseconds> waits;
  decltype(host::UploadHooks::attest) attest = {};
  std::vector<std::string> journal;
  std::vector<std::string> notices;
};

}  // namespace pinwheel
