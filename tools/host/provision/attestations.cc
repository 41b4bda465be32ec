#include "host/provision/attestations.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>

#include "base/digest.h"
#include "base/text.h"
#include "env/pass_list.h"
#include "host/net/trusted_token.h"
#include "host/provision/own_tool.h"
#include "host/system/scratch_directory.h"
#include "publish/attestation_program.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

// The services answer in seconds; a file that hangs is tried again.
constexpr std::chrono::minutes kProgramPatience{10};
// A token and the certificate for it are valid for some minutes, and a statement takes seconds.
constexpr size_t kStatementsOfToken = 60;

OwnTool attestation_tool() {
  return {"attestations", "sigstore and pypi-attestations",
          std::string(publish::attestation_packages())};
}

/// Runs the program with a request; the result is its reply.
Result<std::string> run_program(const EnvMachine& machine, const std::string& request,
                                std::map<std::string, std::string> variables) {
  const EnvMachine& host = host_of(machine);
  TRY(const std::string python, own_tool_python(host, attestation_tool()));
  const fs::path place =
      host.cache / "scratch" /
      fmt::format("attestations-{}-{}", sha256_hex(request).substr(0, 12), ::gettid());
  TRY(const ScratchDirectory scratch, ScratchDirectory::make(host.files, place));
  const fs::path script = place / "attestations.py";
  const fs::path text = place / "request.json";
  TRY_DONE(host.files.write(script, publish::attestation_script()));
  TRY_DONE(host.files.write(text, request));
  ports::Command command;
  command.argv = {python, "-I", script.string(), text.string()};
  command.environment = env::variables_for(env::Helper::python, host.variables);
  // sigstore trusts a root that another program left in the user's cache; without one, its own.
  command.environment["XDG_CACHE_HOME"] = (place / "cache").string();
  command.environment["XDG_DATA_HOME"] = (place / "data").string();
  command.environment.merge(std::move(variables));
  command.timeout = kProgramPatience;
  TRY(const ports::Captured ran, host.process.capture(command));
  if (ran.exit.canceled) {
    return fail(ErrorKind::interrupted, "the work on attestations was interrupted");
  }
  if (ran.exit.timed_out) {
    return fail(ErrorKind::transient,
                "the program that signs and verifies attestations took more "
                "than ten minutes");
  }
  if (ran.exit.ok()) return ran.out;
  return fail(ErrorKind::environment, "the program that signs and verifies attestations failed",
              quoted(trim(ran.err)));
}

}  // namespace

Result<std::vector<publish::Attestation>> sign_statements(const EnvMachine& machine,
                                                          const SigningRequest& request,
                                                          const CredentialPorts& ports) {
  if (request.list.statements.empty()) return std::vector<publish::Attestation>();
  // Installed before the token is requested, which is valid for a few minutes.
  TRY_DONE(own_tool_python(machine, attestation_tool()));
  std::vector<publish::Attestation> all;
  for (size_t at = 0; at < request.list.statements.size(); at += kStatementsOfToken) {
    publish::StatementList some{{}, request.list.form};
    const size_t end = std::min(at + kStatementsOfToken, request.list.statements.size());
    some.statements.assign(request.list.statements.begin() + static_cast<std::ptrdiff_t>(at),
                           request.list.statements.begin() + static_cast<std::ptrdiff_t>(end));
    TRY(const Secret token,
        identity_token(
            {request.provider, std::string(publish::kSigstoreAudience), request.variables}, ports));
    TRY(const std::string reply,
        run_program(machine, publish::sign_request(some, request.trust.string()),
                    {{publish::kIdentityTokenVariable, token.reveal()}}));
    TRY(std::vector<publish::Attestation> made, publish::signed_reply(reply, some));
    for (publish::Attestation& each : made) all.push_back(std::move(each));
  }
  return all;
}

Result<std::vector<publish::Signer>> verify_attestations(
    const EnvMachine& machine, const std::vector<publish::Attestation>& attestations,
    const fs::path& trust) {
  TRY(const std::string reply,
      run_program(machine, publish::verify_request(attestations, trust.string()), {}));
  return publish::verified_reply(reply, attestations);
}

std::optional<std::string> attestation_notice(const EnvMachine& machine) {
  if (!is_own_tool_missing(machine, attestation_tool())) return std::nullopt;
  return fmt::format("installing {} from PyPI into {}", attestation_tool().label,
                     quoted(own_tool_directory(machine, attestation_tool()).string()));
}

}  // namespace pinwheel::host
