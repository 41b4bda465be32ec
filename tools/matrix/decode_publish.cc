#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "matrix/config_error.h"
#include "matrix/decode.h"
#include "matrix/template.h"

namespace pinwheel::matrix {
namespace {

/// The keys that apply to a kind of target, besides `kind` and `name`.
const std::set<std::string>& keys_for(TargetKind kind) {
  static const std::set<std::string> kPypi = {"kind",   "name", "default",
                                              "others", "auth", "size-limit"};
  static const std::set<std::string> kIndex = {"kind", "name", "default", "others",     "label",
                                               "url",  "auth", "confirm", "size-limit", "audience"};
  static const std::set<std::string> kDirectory = {"kind",  "name", "default",       "others",
                                                   "label", "path", "keep-nightlies"};
  switch (kind) {
    case TargetKind::pypi:
    case TargetKind::testpypi:
      break;
    case TargetKind::index:
      return kIndex;
    case TargetKind::directory:
      return kDirectory;
  }
  return kPypi;
}

/// The key for the location of the target; empty for a kind with a known location.
std::string_view place_key(TargetKind kind) {
  switch (kind) {
    case TargetKind::pypi:
    case TargetKind::testpypi:
      break;
    case TargetKind::index:
      return "url";
    case TargetKind::directory:
      return "path";
  }
  return {};
}

/// Whether the index may accept uploads from everybody: `auth: none`.
bool may_allow_anonymous(TargetKind kind) {
  switch (kind) {
    case TargetKind::pypi:
    case TargetKind::testpypi:
    case TargetKind::directory:
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
  const Node* const fallback = node.find("default");
  if (node.find("others") != nullptr && fallback == nullptr) {
    return fail(config_error("`others` needs `default`", node.at,
                             "set it to the compute whose wheels use the plain name"));
  }
  if (fallback == nullptr) return {};
  if (node.find("others") == nullptr) {
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
  // The schema allows no other word.
  target.auth = parse_upload_auth(text_or(node, "auth", "")).value_or(UploadAuth::automatic);
  target.audience = text_or(node, "audience", "");
  target.unconfirmed = node.find("confirm") != nullptr;
  if (const Node* const limit = node.find("size-limit")) {
    target.size_limit = parse_bytes(limit->scalar);
  }
  // The schema has checked that it is a small number.
  if (const Node* const nightlies = node.find("keep-nightlies")) {
    target.keep_nightlies = std::stoul(nightlies->scalar);
  }
  target.path = text_or(node, "path", "");
  target.default_compute = text_or(node, "default", "");
  target.name_suffix = node.find("others") != nullptr;
  target.name_template = text_or(node, "name", "");
  const std::string label = text_or(node, "label", "");
  target.local_label = label == "local";
  if (!target.local_label) target.label_template = label;
  return target;
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
  const Node* const publish = node.find("publish");
  if (publish == nullptr) return channel;
  channel.publishes_nowhere = publish->items.empty();
  std::vector<std::string> known;
  for (const PublishTarget& target : matrix.targets) known.push_back(target.name);
  std::set<std::string> seen;
  for (const Node& name : publish->items) {
    if (std::find(known.begin(), known.end(), name.scalar) == known.end()) {
      return fail(config_error(fmt::format("unknown publish target {}", quoted(name.scalar)),
                               name.at,
                               known.empty() ? "the matrix declares no `publish` targets"
                                             : suggest(name.scalar, known)));
    }
    if (!seen.insert(name.scalar).second) {
      return fail(config_error(
          fmt::format("channel {} lists {} twice", quoted(channel.name), quoted(name.scalar)),
          name.at));
    }
    channel.publish.push_back(name.scalar);
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
    matrix.targets.push_back(std::move(target));
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
