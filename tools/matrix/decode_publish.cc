#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/github_repository.h"
#include "base/text.h"
#include "matrix/config_error.h"
#include "matrix/decode.h"
#include "matrix/family.h"
#include "matrix/template.h"
#include "store/place_description.h"

namespace pinwheel::matrix {
namespace {

/// The keys that apply to a kind of target, besides `kind` and `name`.
const std::set<std::string>& keys_for(TargetKind kind) {
  static const std::set<std::string> kPypi = {"kind", "name",       "default",     "others",
                                              "auth", "size-limit", "attestations"};
  static const std::set<std::string> kIndex = {
      "kind", "name",    "default",    "others",   "label",        "url",     "check-url",
      "auth", "confirm", "size-limit", "audience", "attestations", "sigstore"};
  static const std::set<std::string> kDirectory = {
      "kind",           "name",  "default",      "others",   "label",   "path",
      "keep-nightlies", "files", "attestations", "sigstore", "variants"};
  static const std::set<std::string> kS3 = {"kind",     "name",    "default",        "others",
                                            "label",    "bucket",  "keep-nightlies", "attestations",
                                            "sigstore", "variants"};
  static const std::set<std::string> kGithub = {"kind",         "name",       "default", "others",
                                                "label",        "repository", "api",     "notes",
                                                "attestations", "sigstore",   "variants"};
  switch (kind) {
    case TargetKind::pypi:
    case TargetKind::testpypi:
      break;
    case TargetKind::index:
      return kIndex;
    case TargetKind::directory:
      return kDirectory;
    case TargetKind::s3:
      return kS3;
    case TargetKind::github_release:
      return kGithub;
  }
  return kPypi;
}

/// The key for the location of the target; empty for a kind with a known location.
std::string_view place_key(TargetKind kind) {
  switch (kind) {
    case TargetKind::pypi:
    case TargetKind::testpypi:
    case TargetKind::github_release:
      break;
    case TargetKind::index:
      return "url";
    case TargetKind::directory:
      return "path";
    case TargetKind::s3:
      return "bucket";
  }
  return {};
}

/// Whether the index may accept uploads from everybody: `auth: none`.
bool may_allow_anonymous(TargetKind kind) {
  switch (kind) {
    case TargetKind::pypi:
    case TargetKind::testpypi:
    case TargetKind::directory:
    case TargetKind::s3:
    case TargetKind::github_release:
      break;
    case TargetKind::index:
      return true;
  }
  return false;
}

/// A hint for a key that only other kinds of target accept.
std::string why_not(std::string_view key) {
  if (key == "label") {
    return "PyPI rejects local versions; distinguish variants by `others: name-suffix`";
  }
  if (key == "variants") {
    return "indexes do not accept wheel variants yet; publish them to a directory, a bucket or a "
           "release on GitHub";
  }
  if (key == "keep-nightlies") {
    return "uploads cannot remove files from an index: its owner deletes old releases by hand";
  }
  return "";
}

/// Rejects the audience of another index: with such a token, this index could upload there.
Done check_audience(const Node& node) {
  const Node* const audience = node.find("audience");
  if (audience == nullptr) return {};
  const std::string& stated = audience->scalar;
  if (trim(stated).empty() || stated == "pypi" || stated == "testpypi") {
    return fail(
        config_error(fmt::format("{} is not the audience of an index of your own", quoted(stated)),
                     audience->at, "use the audience that its documentation states"));
  }
  const Node* const auth = node.find("auth");
  if (auth == nullptr || auth->scalar == to_string(UploadAuth::trusted)) return {};
  return fail(config_error("`audience` applies to identity tokens, which this target does not use",
                           audience->at, "remove it, or write `auth: trusted`"));
}

/// PyPI accepts attestations only from jobs that it trusts, and only those of the public instance
/// of Sigstore.
Done check_attesting(const Node& node, TargetKind kind) {
  const Node* const attestations = node.find("attestations");
  const bool always =
      attestations != nullptr && attestations->scalar == to_string(Attesting::always);
  if (const Node* const trust = node.find("sigstore"); trust != nullptr && !always) {
    return fail(config_error("`sigstore` needs `attestations: always`", trust->at,
                             "add it, or leave `sigstore` out"));
  }
  if (always && node.find("files") != nullptr) {
    return fail(config_error("the pages only link to the files, whose target has the attestations",
                             attestations->at, "move `attestations` to the target in `files`"));
  }
  const Node* const auth = node.find("auth");
  const bool own_token = auth != nullptr && auth->scalar == to_string(UploadAuth::token);
  const bool is_pypi = kind == TargetKind::pypi || kind == TargetKind::testpypi;
  if (!always || !own_token || !is_pypi) return {};
  return fail(config_error("PyPI accepts attestations only with trusted publishing",
                           attestations->at, "remove `auth: token`, or `attestations`"));
}

/// Whether the text is "OWNER/NAME" with the characters that GitHub allows.
bool is_repository(std::string_view text) {
  const std::string_view name = last_part(text);
  if (!is_owner_and_name(text) || name == "." || name == "..") return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return is_alphanumeric(c) || c == '/' || c == '-' || c == '_' || c == '.';
  });
}

Done check_github(const Node& node) {
  if (const Node* const repository = node.find("repository")) {
    if (!is_repository(repository->scalar)) {
      return fail(config_error(fmt::format("{} is not a repository", quoted(repository->scalar)),
                               repository->at, "write its owner and name: `OWNER/NAME`"));
    }
  }
  return {};
}

Done check_bucket(const Node& node) {
  const Node* const bucket = node.find("bucket");
  if (bucket == nullptr) return {};
  const auto place = store::parse_place(bucket->scalar, store::NamedBy::matrix);
  const bool plain = bucket->scalar.find(',') == std::string::npos;
  if (place && place->kind == store::PlaceKind::s3 && plain) return {};
  return fail(config_error(fmt::format("{} is not a bucket", quoted(bucket->scalar)), bucket->at,
                           "write `s3://BUCKET/PREFIX`; the server and its region come from "
                           "`AWS_ENDPOINT_URL_S3` and `AWS_REGION`"));
}

/// Variants distinguish the wheels by their labels, and all of them have one name and version.
Done check_variants(const Node& node) {
  const Node* const variants = node.find("variants");
  if (variants == nullptr) return {};
  for (const char* const key : {"others", "label"}) {
    const Node* const other = node.find(key);
    if (other == nullptr) continue;
    return fail(config_error(fmt::format("`variants` excludes {}", quoted(key)), other->at,
                             "the labels of wheel variants distinguish the wheels"));
  }
  const Node* const attestations = node.find("attestations");
  if (attestations != nullptr && attestations->scalar == to_string(Attesting::always)) {
    return fail(config_error(
        "files with the label of a wheel variant cannot be attested yet", attestations->at,
        "remove `attestations`; the packages that sign do not know such names"));
  }
  if (node.find("default") != nullptr) return {};
  return fail(config_error("`variants` needs `default`", variants->at,
                           "set it to the compute whose wheels installers without support for "
                           "variants get"));
}

Done check_target(const Node& node, TargetKind kind, const Matrix& matrix) {
  const std::string kind_name = node.find("kind")->scalar;
  const std::set<std::string>& keys = keys_for(kind);
  for (const Node::Member& member : node.members) {
    if (keys.contains(member.key)) continue;
    return fail(config_error(fmt::format("a target of kind {} does not accept {}",
                                         quoted(kind_name), quoted(member.key)),
                             member.key_at, why_not(member.key)));
  }
  const std::string_view needed = place_key(kind);
  if (!needed.empty() && node.find(needed) == nullptr) {
    return fail(config_error(
        fmt::format("a target of kind {} needs {}", quoted(kind_name), quoted(needed)), node.at));
  }
  const Node* const auth = node.find("auth");
  if (auth != nullptr && auth->scalar == to_string(UploadAuth::none) &&
      !may_allow_anonymous(kind)) {
    return fail(config_error(
        fmt::format("a target of kind {} accepts no file without a token", quoted(kind_name)),
        auth->at, "use `auth: trusted` or `auth: token`, or neither"));
  }
  TRY_DONE(check_audience(node));
  TRY_DONE(check_attesting(node, kind));
  TRY_DONE(check_github(node));
  TRY_DONE(check_bucket(node));
  TRY_DONE(check_variants(node));
  const Node* const fallback = node.find("default");
  if (node.find("others") != nullptr && fallback == nullptr) {
    return fail(config_error("`others` needs `default`", node.at,
                             "set it to the compute whose wheels use the plain name"));
  }
  if (fallback == nullptr) return {};
  if (node.find("others") == nullptr && node.find("variants") == nullptr) {
    return fail(config_error("`default` needs `others`", fallback->at,
                             "add the names of the others: `others: name-suffix`"));
  }
  Node glob;
  glob.type = Node::Type::mapping;
  glob.members.push_back({fallback->scalar, fallback->at, *fallback});
  return check_by_compute(glob, matrix);
}

/// Checks the templates. `{name}` is the distribution's name, which the plan fills.
Done check_templates(const Node& node, const Matrix& matrix) {
  std::vector<std::string> names = names_in(matrix);
  names.emplace_back("name");
  for (const char* key : {"name", "label"}) {
    if (const Node* const text = node.find(key)) {
      TRY_DONE(check_template(text->scalar, names, text->at, Placeholders::variant));
    }
  }
  return {};
}

Result<PublishTarget> decode_target(const Node::Member& member, const Matrix& matrix) {
  const Node& node = member.value;
  PublishTarget target;
  target.name = member.key;
  target.at = member.key_at;
  // The schema allows no other word.
  target.kind = parse_target_kind(node.find("kind")->scalar).value();
  TRY_DONE(check_target(node, target.kind, matrix));
  TRY_DONE(check_templates(node, matrix));
  target.url = text_or(node, "url", "");
  target.check_url = text_or(node, "check-url", "");
  // The schema allows no other word.
  target.auth = parse_upload_auth(text_or(node, "auth", "")).value_or(UploadAuth::automatic);
  target.audience = text_or(node, "audience", "");
  target.attestations = attesting_of(text_or(node, "attestations", ""));
  target.sigstore = text_or(node, "sigstore", "");
  target.unconfirmed = node.find("confirm") != nullptr;
  if (const Node* const limit = node.find("size-limit")) {
    target.size_limit = parse_bytes(limit->scalar);
  }
  // The schema has checked that it is a small number.
  if (const Node* const nightlies = node.find("keep-nightlies")) {
    target.keep_nightlies = std::stoul(nightlies->scalar);
  }
  target.variants = pep::parse_variant_draft(text_or(node, "variants", ""));
  target.path = text_or(node, "path", "");
  target.files = text_or(node, "files", "");
  target.bucket = text_or(node, "bucket", "");
  target.repository = text_or(node, "repository", "");
  target.api = text_or(node, "api", "");
  target.notes = text_or(node, "notes", "");
  target.default_compute = text_or(node, "default", "");
  target.name_suffix = node.find("others") != nullptr;
  target.name_template = text_or(node, "name", "");
  const std::string label = text_or(node, "label", "");
  target.local_label = label == "local";
  if (!target.local_label) target.label_template = label;
  return target;
}

/// Checks that the packages of a family get different names on a target.
Done check_names(const PublishTarget& target, const Node& node, const Matrix& matrix) {
  const std::string& name = target.name_template;
  const bool has_name = std::ranges::any_of(
      std::array{"{name}", "{package}", "{package.nodot}"},
      [&name](std::string_view part) { return name.find(part) != std::string::npos; });
  if (matrix.family.empty() || name.empty() || has_name) return {};
  return fail(config_error(
      fmt::format("{} is the name of every package of the family", quoted(name)),
      node.find("name")->at, "a `name` template with `{name}` has the name of the package"));
}

/// Whether two targets give a wheel the same name.
bool name_alike(const PublishTarget& a, const PublishTarget& b) {
  return a.name_template == b.name_template && a.name_suffix == b.name_suffix &&
         a.default_compute == b.default_compute && a.local_label == b.local_label &&
         a.label_template == b.label_template && a.variants == b.variants;
}

/// Checks that the pages of a directory can link to the files of the target that `files` names.
Done check_linked(const PublishTarget& target, const Node& files, const Matrix& matrix) {
  std::vector<std::string> known;
  const PublishTarget* linked = nullptr;
  for (const PublishTarget& each : matrix.targets) {
    if (each.kind == TargetKind::github_release) known.push_back(each.name);
    if (each.name == target.files) linked = &each;
  }
  if (linked == nullptr || linked->kind != TargetKind::github_release) {
    return fail(config_error(
        fmt::format("{} is not a target of kind `github-release`", quoted(target.files)), files.at,
        known.empty() ? "the matrix declares none" : suggest(target.files, known)));
  }
  if (name_alike(target, *linked)) return {};
  return fail(config_error(
      fmt::format("{} and {} do not give the wheels the same names", quoted(target.name),
                  quoted(linked->name)),
      files.at, "write the same `name`, `label`, `default`, `others` and `variants` in both"));
}

/// Why installers on other machines cannot install what a target has; empty if they can.
std::string_view not_installable(const PublishTarget& target) {
  switch (target.kind) {
    case TargetKind::pypi:
    case TargetKind::testpypi:
      return {};
    case TargetKind::index:
      return target.unconfirmed ? "it has no pages (`confirm: none`)" : "";
    case TargetKind::directory:
      return "other machines cannot reach a local directory";
    case TargetKind::s3:
      return "the matrix does not say at which address installers read a bucket";
    case TargetKind::github_release:
      return "a release on GitHub is not an index";
  }
  return {};
}

/// The declared target that a node names.
Result<const PublishTarget*> named_target(const Node& name, const Matrix& matrix) {
  std::vector<std::string> known;
  for (const PublishTarget& target : matrix.targets) {
    if (target.name == name.scalar) return &target;
    known.push_back(target.name);
  }
  return fail(config_error(
      fmt::format("unknown publish target {}", quoted(name.scalar)), name.at,
      known.empty() ? "the matrix declares no `publish` targets" : suggest(name.scalar, known)));
}

/// Checks that a channel can promote its files from the target `through`.
Done check_through(const Node& through, const ChannelSettings& channel, const Matrix& matrix) {
  TRY(const PublishTarget* const target, named_target(through, matrix));
  if (channel.publish.empty()) {
    return fail(config_error("`through` needs `publish`", through.at,
                             "name the targets that get the files after the install test"));
  }
  if (std::ranges::find(channel.publish, target->name) != channel.publish.end()) {
    return fail(config_error(
        fmt::format("channel {} names {} in both `publish` and `through`", quoted(channel.name),
                    quoted(target->name)),
        through.at, "remove it from `publish`: the target of `through` gets the files first"));
  }
  const std::string_view why = not_installable(*target);
  if (why.empty()) return {};
  return fail(config_error(
      fmt::format("nothing can be installed from {}: {}", quoted(target->name), why), through.at,
      "name a target of kind `testpypi`, or an index of your own that lists its files"));
}

/// The targets of a channel, each once.
Result<std::vector<std::string>> decode_targets(const Node& publish, const std::string& channel,
                                                const Matrix& matrix) {
  std::vector<std::string> targets;
  std::set<std::string> seen;
  for (const Node& name : publish.items) {
    TRY_DONE(named_target(name, matrix).map([](const auto&) {}));
    if (!seen.insert(name.scalar).second) {
      return fail(config_error(
          fmt::format("channel {} lists {} twice", quoted(channel), quoted(name.scalar)), name.at));
    }
    targets.push_back(name.scalar);
  }
  return targets;
}

Result<ChannelSettings> decode_channel(const Node::Member& member, const Matrix& matrix) {
  ChannelSettings channel;
  channel.name = member.key;
  channel.at = member.key_at;
  const Node& node = member.value;
  if (const Node* const select = node.find("select")) {
    TRY(channel.select, decode_when(*select, matrix));
  }
  channel.nightly_version = node.find("version") != nullptr;
  if (const Node* const publish = node.find("publish")) {
    TRY(channel.publish, decode_targets(*publish, channel.name, matrix));
    channel.publishes_nowhere = channel.publish.empty();
  }
  if (const Node* const through = node.find("through")) {
    TRY_DONE(check_through(*through, channel, matrix));
    channel.through = through->scalar;
  }
  return channel;
}

}  // namespace

Done decode_publish(const Node& root, Matrix& matrix) {
  const Node* const publish = root.find("publish");
  if (publish == nullptr) return {};
  for (const Node::Member& member : publish->members) {
    if (member.key == "require") {
      TRY_DONE(check_by_compute(member.value, matrix));
      if (member.value.type == Node::Type::scalar) {
        matrix.require_evidence.emplace_back("default", member.value.scalar);
      }
      for (const Node::Member& entry : member.value.members) {
        matrix.require_evidence.emplace_back(entry.key, entry.value.scalar);
      }
      continue;
    }
    TRY(PublishTarget target, decode_target(member, matrix));
    TRY_DONE(check_names(target, member.value, matrix));
    matrix.targets.push_back(std::move(target));
  }
  for (const PublishTarget& target : matrix.targets) {
    if (target.files.empty()) continue;
    TRY_DONE(check_linked(target, *publish->find(target.name)->find("files"), matrix));
  }
  return {};
}

Done decode_channels(const Node& root, Matrix& matrix) {
  const Node* const channels = root.find("channels");
  if (channels == nullptr) return {};
  for (const Node::Member& member : channels->members) {
    TRY(ChannelSettings channel, decode_channel(member, matrix));
    matrix.channels.push_back(std::move(channel));
  }
  return {};
}

}  // namespace pinwheel::matrix
