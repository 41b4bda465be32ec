#include "host/net/trusted_token.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "base/hidden_text.h"
#include "base/text.h"
#include "env/pass_list.h"
#include "publish/identity_request.h"
#include "publish/reply.h"
#include "publish/token_exchange.h"

namespace pinwheel::host {

namespace {

/// The reply to a request for a small document, such as a token. A reply beyond the limit is not an
/// answer, of kind `publish`; else the errors of the port.
Result<ports::HttpResponse> small_reply(ports::Http& http, const ports::HttpRequest& request) {
  auto response = http.send(request);
  if (response) return *std::move(response);
  Error error = std::move(response).error().error;
  if (error.kind == ErrorKind::check) error.kind = ErrorKind::publish;
  return fail(std::move(error));
}

/// The token in the reply to `request`: the member `key`, or the whole body.
Result<Secret> asked_for(const ports::HttpRequest& request, const IdentityRequest& identity,
                         std::string_view key, ports::Http& http) {
  TRY(const ports::HttpResponse response, small_reply(http, request));
  return publish::identity_reply(response, publish::to_string(identity.provider), key);
}

Result<Secret> from_github(const IdentityRequest& request, const CredentialPorts& ports) {
  TRY(const ports::HttpRequest asked,
      publish::github_identity_request(request.variables, request.audience));
  return asked_for(asked, request, "value", ports.http);
}

Result<Secret> from_gitlab(const IdentityRequest& request) {
  const std::string name = publish::identity_variable(request.audience);
  std::string token(trim(value_at(request.variables, name)));
  if (!token.empty()) {
    return publish::as_token(Secret(std::move(token)), publish::to_string(request.provider));
  }
  return fail(
      ErrorKind::usage,
      fmt::format("the job has no variable {} with an identity token for this index", quoted(name)),
      fmt::format("give the job that publishes {}",
                  quoted(fmt::format("id_tokens: {{{}: {{aud: {}}}}}", name, request.audience))));
}

Result<Secret> from_google(const IdentityRequest& request, const CredentialPorts& ports) {
  const std::string account = value_at(request.variables, "GOOGLE_SERVICE_ACCOUNT_NAME");
  if (account.empty()) {
    return asked_for(publish::google_identity_request(request.variables, request.audience), request,
                     "", ports.http);
  }
  TRY(const Secret access, asked_for(publish::google_access_request(request.variables), request,
                                     "access_token", ports.http));
  if (ports.mask) ports.mask(access);
  return asked_for(publish::google_impersonation_request(account, access, request.audience),
                   request, "token", ports.http);
}

/// The variables that the service's own program needs to identify the job and to reach the service.
std::map<std::string, std::string> variables_with(const IdentityRequest& request,
                                                  std::string_view prefix) {
  std::map<std::string, std::string> passed;
  for (const auto& [name, value] : request.variables) {
    const bool needed = name.starts_with(prefix) || name == "PATH" || name == "HOME";
    if (needed || env::is_network_variable(name)) passed[name] = value;
  }
  return passed;
}

/// The end of the program's messages, in one line, without anything that may be a token.
std::string printed_message(const ports::Captured& ran) {
  constexpr size_t kLines = 5;
  HiddenText hidden;
  hidden.add(Secret(ran.out));
  std::vector<std::string> lines = split(hidden.mask(ran.err), '\n');
  std::erase_if(lines, [](const std::string& line) { return trim(line).empty(); });
  if (lines.size() > kLines) lines.erase(lines.begin(), lines.end() - kLines);
  return publish::short_line(join(lines, " "), hidden);
}

/// `ran` printed no token.
Error no_token_of(const std::string& program, const IdentityRequest& request,
                  const ports::Captured& ran) {
  const ErrorKind kind = ran.exit.timed_out ? ErrorKind::transient : ErrorKind::publish;
  Error error{kind,
              fmt::format("{} gave the job no identity token of {}", quoted(program),
                          publish::to_string(request.provider)),
              std::nullopt,
              publish::identity_advice(request.provider, publish::IndexKind::other),
              {}};
  if (ran.exit.timed_out) {
    error.message += " within " + format_duration(publish::kIdentityPatience);
  }
  const std::string printed = printed_message(ran);
  if (printed.empty()) return error;
  return std::move(error).with_cause(
      {kind, fmt::format("{} says: {}", quoted(program), quoted(printed))});
}

Result<Secret> from_program(std::vector<std::string> argv, std::string_view prefix,
                            const IdentityRequest& request, const CredentialPorts& ports) {
  ports::Command command;
  command.argv = std::move(argv);
  command.environment = variables_with(request, prefix);
  command.timeout = publish::kIdentityPatience;
  const std::string program = command.argv.front();
  TRY(const ports::Captured ran, ports.process.capture(command));
  std::string token(trim(ran.out));
  if (ran.exit.ok() && !token.empty()) {
    return publish::as_token(Secret(std::move(token)), quoted(program));
  }
  return fail(no_token_of(program, request, ran));
}

Result<Secret> from_provider(const IdentityRequest& request, const CredentialPorts& ports) {
  switch (request.provider) {
    case publish::IdentityProvider::github:
      return from_github(request, ports);
    case publish::IdentityProvider::gitlab:
      return from_gitlab(request);
    case publish::IdentityProvider::google:
      return from_google(request, ports);
    case publish::IdentityProvider::buildkite:
      return from_program(publish::buildkite_identity_command(request.audience), "BUILDKITE",
                          request, ports);
    case publish::IdentityProvider::circleci:
      return from_program(publish::circleci_identity_command(request.audience), "CIRCLE", request,
                          ports);
  }
  return fail(ErrorKind::internal, "an identity provider without a source");
}

}  // namespace

Result<Secret> identity_token(const IdentityRequest& request, const CredentialPorts& ports) {
  TRY(Secret token, from_provider(request, ports));
  if (ports.mask) ports.mask(token);
  return token;
}

namespace {

Done revoke(ports::Http& http, const std::string& exchange, const Secret& token) {
  TRY(const ports::HttpResponse response,
      small_reply(http, publish::revocation_request(exchange, token)));
  return publish::revocation_reply(response);
}

/// A transient fault is worth a retry only if the next attempt gets another identity token.
Error as_final(Error error, publish::IdentityProvider provider) {
  if (error.kind == ErrorKind::transient && !publish::renews_identity(provider)) {
    error.kind = ErrorKind::publish;
  }
  return error;
}

Result<publish::UploadToken> exchange_token(const std::string& exchange, const Secret& identity,
                                            const publish::ExchangeParties& parties,
                                            ports::Http& http) {
  TRY(const ports::HttpResponse response,
      small_reply(http, publish::exchange_request(exchange, identity)));
  return publish::exchange_reply(response, identity, parties);
}

}  // namespace

Result<ExchangedCredentials> exchange_trusted_token(const CredentialRequest& request,
                                                    publish::IdentityProvider provider,
                                                    const CredentialPorts& ports) {
  const publish::ExchangeParties parties{request.target, request.endpoint.kind, provider};
  TRY(const std::string exchange, publish::exchange_url(request.endpoint.upload_url));
  TRY(const ports::HttpResponse asked,
      small_reply(ports.http, publish::audience_request(exchange)));
  TRY(const std::string audience, publish::audience_reply(asked, parties));
  TRY_DONE(publish::check_audience(audience, request.endpoint, request.audience, parties));
  TRY(const Secret identity, identity_token({provider, audience, request.variables}, ports));
  Result<publish::UploadToken> token = exchange_token(exchange, identity, parties, ports.http);
  if (!token) return fail(as_final(std::move(token).error(), provider));
  ExchangedCredentials exchanged{{"__token__", token->token}};
  if (publish::renews_identity(provider)) {
    exchanged.fresh_for = publish::fresh_for(*token, ports.clock.now());
  }
  exchanged.ends = token->expires;
  exchanged.advice = publish::exchanged_token_advice(identity, parties);
  exchanged.revoke = [&http = ports.last_http, exchange, secret = token->token] {
    return revoke(http, exchange, secret);
  };
  return exchanged;
}

}  // namespace pinwheel::host
