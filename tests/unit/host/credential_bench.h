#pragma once
#include <string>
#include <utility>
#include <vector>

#include "fakes/fake_clock.h"
#include "host/net/credentials.h"
#include "host/system/files.h"
#include "unit/host/scripted_http.h"

namespace pinwheel {

/// Answers every command with what is set, and records it.
class ScriptedProcess final : public ports::Process {
 public:
  std::string out = {};
  std::string err = {};
  int code = 0;
  bool late = false;
  std::vector<ports::Command> ran = {};

  Result<ports::Captured> capture(const ports::Command& command) override {
    ran.push_back(command);
    ports::Captured captured;
    captured.exit.code = code;
    captured.exit.timed_out = late;
    captured.out = out;
    captured.err = err;
    return captured;
  }
  Result<ports::Exit> log(const ports::Command& command,
                          const std::filesystem::path& /*log*/) override {
    ran.push_back(command);
    return ports::Exit{code};
  }
};

/// The ports of sources of credentials, without a network, and what they masked.
struct CredentialBench {
  CredentialBench() = default;
  CredentialBench(const CredentialBench&) = delete;
  CredentialBench& operator=(const CredentialBench&) = delete;

  host::LocalFiles files;
  ScriptedHttp http;
  ScriptedHttp last_http;
  ScriptedProcess process;
  fakes::FakeClock clock;
  std::vector<std::string> masked;
  host::CredentialPorts ports{
      files,   http,  last_http,
      process, clock, [this](const Secret& secret) {
                                masked.push_back(secret.reveal()); }};
};

}  // namespace pinwheel
