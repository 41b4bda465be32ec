#include "host/net/credentials.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "base/text.h"
#include "base/url.h"
#include "host/net/trusted_token.h"
#include "publish/credential_variable.h"

namespace pinwheel::host {

namespace {

constexpr std::string_view kTokenUser = "__token__";

std::string lookup(const std::map<std::string, std::string>& values, const std::string& key) {
  return std::string(trim(value_at(values, key)));
}

using Section = std::map<std::string, std::string>;

/// The sections of an INI file as Python's configparser reads a .pypirc: `key = value` or `key:
/// value`; comments start with `#` or `;` at the beginning of a line.
std::map<std::string, Section> parse_ini(std::string_view text) {
  std::map<std::string, Section> sections;
  Section* section = nullptr;
  for (const std::string& raw : split(text, '\n')) {
    const std::string_view line = trim(raw);
    if (line.empty() || line.front() == '#' || line.front() == ';') continue;
    if (line.front() == '[' && line.back() == ']') {
      section = &sections[std::string(trim(line.substr(1, line.size() - 2)))];
      continue;
    }
    const size_t separator = line.find_first_of("=:");
    if (section == nullptr || separator == std::string_view::npos) continue;
    (*section)[to_lower(trim(line.substr(0, separator)))] =
        std::string(trim(line.substr(separator + 1)));
  }
  return sections;
}

const Section* find_section(const std::map<std::string, Section>& sections, std::string_view target,
                            std::string_view upload_url) {
  if (const auto found = sections.find(std::string(target)); found != sections.end()) {
    return &found->second;
  }
  for (const auto& [name, section] : sections) {
    const std::string repository = lookup(section, "repository");
    if (!repository.empty() &&
        without_trailing_slashes(repository) == without_trailing_slashes(upload_url)) {
      return &section;
    }
  }
  return nullptr;
}

/// The variable for a target's token, "PINWHEEL_TOKEN_TEST_PYPI".
std::string token_variable(std::string_view target) {
  return publish::credential_variable("PINWHEEL_TOKEN_", target);
}

using Found = Result<std::optional<Credentials>>;

/// Credentials for a token: the user is the variable's, else the one that PyPI expects.
Credentials with_token(const CredentialRequest& request, std::string_view token) {
  const std::string user =
      lookup(request.variables, publish::credential_variable("PINWHEEL_USER_", request.target));
  return ports::BasicCredentials{user.empty() ? std::string(kTokenUser) : user,
                                 Secret(std::string(token))};
}

Found from_variable(const CredentialRequest& request) {
  const std::string token = lookup(request.variables, token_variable(request.target));
  if (token.empty()) return std::nullopt;
  return with_token(request, token);
}

Found from_github_variables(const CredentialRequest& request) {
  for (const char* const name : {"GH_TOKEN", "GITHUB_TOKEN"}) {
    const std::string token = lookup(request.variables, name);
    if (!token.empty()) return with_token(request, token);
  }
  return std::nullopt;
}

Found from_token_file(const CredentialRequest& request, ports::Files& files) {
  if (request.token_file.empty()) return std::nullopt;
  TRY(const std::string text, files.read(request.token_file, limits::kCredentials));
  if (trim(text).empty()) {
    return fail(ErrorKind::config,
                fmt::format("the token file {} is empty", quoted(request.token_file.string())));
  }
  return with_token(request, trim(text));
}

Found from_pypirc(const CredentialRequest& request, ports::Files& files) {
  const std::string home = value_at(request.variables, "HOME");
  if (home.empty()) return std::nullopt;
  const std::filesystem::path path = std::filesystem::path(home) / ".pypirc";
  TRY(const ports::FileStatus status, files.status(path));
  if (status.type == ports::FileType::missing) return std::nullopt;
  TRY(const std::string text, files.read(path, limits::kCredentials));
  const std::map<std::string, Section> sections = parse_ini(text);
  const Section* section = find_section(sections, request.target, request.endpoint.upload_url);
  if (section == nullptr) return std::nullopt;
  const std::string user = lookup(*section, "username");
  const std::string password = lookup(*section, "password");
  if (password.empty()) {
    return fail(ErrorKind::config,
                fmt::format("{} names {} without a password", quoted(path.string()),
                            quoted(request.target)),
                "add `password = ` and the token to that section");
  }
  return ports::BasicCredentials{user.empty() ? std::string(kTokenUser) : user, Secret(password)};
}

Found from_identity(const CredentialRequest& request, const CredentialPorts& ports) {
  const std::optional<publish::IdentityProvider> provider =
      publish::identity_provider(request.variables);
  if (!provider || !publish::offers_identity(*provider, request.variables)) {
    if (request.auth != matrix::UploadAuth::trusted) return std::nullopt;
    return fail(provider ? publish::no_identity(*provider, request.variables, request.endpoint.kind)
                         : publish::no_identity_provider());
  }
  return CredentialExchange([request, ports, provider = *provider] {
    return exchange_trusted_token(request, provider, ports);
  });
}

/// How to provide credentials by this source, for the hint of `there is no token`.
constexpr std::string_view advice_on(CredentialOrigin origin) {
  switch (origin) {
    case CredentialOrigin::variable:
      return "set {variable}";
    case CredentialOrigin::token_file:
      return "pass --token-file FILE";
    case CredentialOrigin::github:
      return "set GITHUB_TOKEN";
    case CredentialOrigin::pypirc:
      return "add a section `[{target}]` to ~/.pypirc";
    case CredentialOrigin::trusted:
      return "{identity}";
  }
  return {};
}
static_assert(advice_on(CredentialOrigin{kCredentialOrigins.size()}).empty(),
              "an origin is missing from kCredentialOrigins");

bool serves(CredentialUse use, CredentialOrigin origin) {
  switch (origin) {
    case CredentialOrigin::variable:
    case CredentialOrigin::token_file:
      return true;
    case CredentialOrigin::github:
      return use == CredentialUse::github;
    case CredentialOrigin::pypirc:
    case CredentialOrigin::trusted:
      return use == CredentialUse::index;
  }
  return false;
}

bool permits(matrix::UploadAuth auth, CredentialOrigin origin) {
  switch (auth) {
    case matrix::UploadAuth::automatic:
      return true;
    case matrix::UploadAuth::trusted:
      return origin == CredentialOrigin::trusted;
    case matrix::UploadAuth::token:
      return origin != CredentialOrigin::trusted;
    case matrix::UploadAuth::none:
      break;
  }
  return false;
}

CredentialSource source_of(CredentialOrigin origin, const CredentialRequest& request,
                           const CredentialPorts& ports) {
  const std::string advice = fmt::format(
      fmt::runtime(advice_on(origin)), fmt::arg("variable", token_variable(request.target)),
      fmt::arg("target", request.target),
      fmt::arg("identity", publish::identity_advice(publish::identity_provider(request.variables),
                                                    request.endpoint.kind)));
  switch (origin) {
    case CredentialOrigin::variable:
      return {advice, [request] { return from_variable(request); }};
    case CredentialOrigin::token_file:
      return {advice, [request, &files = ports.files] { return from_token_file(request, files); }};
    case CredentialOrigin::github:
      return {advice, [request] { return from_github_variables(request); }};
    case CredentialOrigin::pypirc:
      return {advice, [request, &files = ports.files] { return from_pypirc(request, files); }};
    case CredentialOrigin::trusted:
      return {advice, [request, ports] { return from_identity(request, ports); }};
  }
  return {};
}

/// Plain http can be read by anyone on the network path.
Done check_transport(const CredentialRequest& request) {
  const std::optional<UrlParts> url = split_url(request.endpoint.upload_url);
  const bool open = url && url->scheme == "http" && !is_loopback(url->host);
  if (!open || request.plain_http == PlainHttp::allowed) return {};
  return fail(
      ErrorKind::usage,
      fmt::format("a token for {} would be sent without encryption to {}", quoted(request.target),
                  quoted(url->host)),
      "use a URL that starts with https://; --insecure sends it anyway, for a private network");
}

/// A secret that messages cannot hide is rejected before anything is sent.
Done check_length(const Secret& secret, const std::string& target) {
  if (secret.can_be_hidden()) return {};
  return fail(ErrorKind::usage,
              fmt::format("the token for {} has fewer than {} characters", quoted(target),
                          Secret::kShortest),
              "messages could not hide so short a token; check where it comes from");
}

/// Returns `error`, for which the credentials are not used, after revoking them.
Error revoked(const ExchangedCredentials& exchanged, Error error) {
  const Done done = exchanged.revoke ? exchanged.revoke() : Done();
  return done ? error : std::move(error).with_cause(done.error());
}

/// Checks the secret and passes it to `mask` before returning the credentials.
struct Masked {
  const std::string& target;
  const MaskSecret& mask;

  Result<Credentials> operator()(const ports::BasicCredentials& known) const {
    TRY_DONE(check_length(known.password, target));
    if (mask) mask(known.password);
    return Credentials(known);
  }
  Result<Credentials> operator()(const CredentialExchange& exchange) const {
    return Credentials([exchange, mask = mask, target = target]() -> Result<ExchangedCredentials> {
      TRY(ExchangedCredentials exchanged, exchange());
      const Done hideable = check_length(exchanged.credentials.password, target);
      if (!hideable) return fail(revoked(exchanged, hideable.error()));
      if (mask) mask(exchanged.credentials.password);
      return exchanged;
    });
  }
};

/// "set A, give B, or add C".
std::string advice_of(const std::vector<CredentialSource>& sources) {
  std::vector<std::string> parts;
  parts.reserve(sources.size());
  for (const CredentialSource& source : sources) parts.push_back(source.advice);
  if (parts.size() > 1) parts.back() = "or " + parts.back();
  return join(parts, ", ");
}

}  // namespace

std::vector<CredentialSource> credential_sources(const CredentialRequest& request,
                                                 const CredentialPorts& ports) {
  std::vector<CredentialSource> sources;
  sources.reserve(kCredentialOrigins.size());
  for (const CredentialOrigin origin : kCredentialOrigins) {
    const bool serving = serves(request.use, origin) && permits(request.auth, origin);
    if (serving) sources.push_back(source_of(origin, request, ports));
  }
  return sources;
}

Result<Credentials> find_credentials(const CredentialRequest& request,
                                     const std::vector<CredentialSource>& sources,
                                     const MaskSecret& mask) {
  TRY_DONE(check_transport(request));
  for (const CredentialSource& source : sources) {
    TRY(std::optional<Credentials> found, source.ask());
    if (found) return std::visit(Masked{request.target, mask}, *found);
  }
  std::string hint = advice_of(sources);
  if (request.use == CredentialUse::github) {
    hint += "; in a workflow, the job needs `permissions: {contents: write}`";
  } else if (!publish::has_pypi_rules(request.endpoint.kind)) {
    hint += "; for an index that needs none, use `auth: none` in the matrix or --no-auth";
  }
  return fail(ErrorKind::usage, fmt::format("there is no token for {}", quoted(request.target)),
              std::move(hint));
}

}  // namespace pinwheel::host
