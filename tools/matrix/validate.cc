#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/text.h"
#include "matrix/config_error.h"
#include "matrix/schema.h"
#include "matrix/secret_name.h"

namespace pinwheel::matrix {
namespace {

std::string_view name_of(Node::Type type) {
  switch (type) {
    case Node::Type::null:
      return "nothing";
    case Node::Type::scalar:
      return "a single value";
    case Node::Type::sequence:
      return "a list";
    case Node::Type::mapping:
      return "a mapping";
  }
  return "";
}

Error wrong_type(const Node& node, std::string_view expected, const std::string& what) {
  return config_error(
      fmt::format("{} must be {}, and this is {}", what, expected, name_of(node.type)), node.at);
}

std::vector<std::string> names_of(const std::vector<Key>& keys) {
  std::vector<std::string> names;
  names.reserve(keys.size());
  for (const Key& key : keys) names.push_back(key.name);
  return names;
}

/// The words that a scalar or a mapping may have.
std::vector<std::string> words_of(const Shape& shape) {
  std::vector<std::string> words = shape.allowed;
  for (const std::string& name : names_of(shape.keys)) words.push_back(name);
  return words;
}

const Key* find_key(const std::vector<Key>& keys, std::string_view name) {
  for (const Key& key : keys) {
    if (key.name == name) return &key;
  }
  return nullptr;
}

/// Whether YAML reads the plain scalar as a boolean, which must not be taken for text by accident.
bool is_plain_boolean(const Node& node) {
  return !node.quoted && (to_lower(node.scalar) == "true" || to_lower(node.scalar) == "false");
}

Done validate_format(const Node& node, Format format, const std::string& what) {
  if (node.scalar.empty()) {
    return fail(config_error(fmt::format("{} must not be empty", what), node.at));
  }
  if (format == Format::boolean || format == Format::count) {
    if (!node.quoted && has_format(format, node.scalar)) return {};
  } else if (is_plain_boolean(node) && format != Format::scalar) {
    return fail(config_error(fmt::format("{} must be {}, and {} is a boolean", what,
                                         describe(format), quoted(node.scalar)),
                             node.at, fmt::format("quote it: \"{}\"", node.scalar)));
  } else if (has_format(format, node.scalar)) {
    return {};
  }
  return fail(config_error(
      fmt::format("{} must be {}, and {} is not", what, describe(format), quoted(node.scalar)),
      node.at));
}

Done validate_scalar(const Node& node, const Shape& shape, const std::string& what) {
  const bool listed = !shape.allowed.empty();
  if (node.type != Node::Type::scalar) {
    return fail(wrong_type(
        node, listed ? "one of " + quoted_list(shape.allowed) : describe(shape.format), what));
  }
  if (!listed) return validate_format(node, shape.format, what);
  if (std::find(shape.allowed.begin(), shape.allowed.end(), node.scalar) != shape.allowed.end()) {
    return {};
  }
  return fail(config_error(fmt::format("{} cannot be {}", what, quoted(node.scalar)), node.at,
                           suggest(node.scalar, shape.allowed)));
}

Done validate_list(const Node& node, const Shape& shape, const std::string& what) {
  if (node.type != Node::Type::sequence) return fail(wrong_type(node, "a list", what));
  if (node.items.empty() && shape.empty == Shape::Empty::refused) {
    return fail(config_error(fmt::format("{} must not be empty", what), node.at));
  }
  for (const Node& item : node.items) {
    TRY_DONE(validate(item, shape.item[0], fmt::format("an entry of {}", what)));
  }
  return {};
}

Done validate_member(const Node::Member& member, const Shape& shape) {
  const Key* const key = find_key(shape.keys, member.key);
  if (key != nullptr) return validate(member.value, key->shape, quoted(member.key));
  if (!shape.item.empty() && !member.key.empty()) {
    return validate(member.value, shape.item[0], quoted(member.key));
  }
  return fail(config_error(fmt::format("unknown key {}", quoted(member.key)), member.key_at,
                           suggest(member.key, names_of(shape.keys))));
}

/// Rejects a list given both as `key` and as `+key`, because one of the two would have no effect.
Done validate_append(const Node& node) {
  const bool appends = std::any_of(node.members.begin(), node.members.end(),
                                   [](const auto& each) { return each.key.starts_with('+'); });
  if (!appends) return {};
  std::unordered_set<std::string_view> keys;
  for (const Node::Member& member : node.members) keys.insert(member.key);
  for (const Node::Member& member : node.members) {
    if (!member.key.starts_with('+')) continue;
    if (keys.contains(std::string_view(member.key).substr(1))) {
      return fail(config_error(fmt::format("{} and {} cannot be used together",
                                           quoted(member.key.substr(1)), quoted(member.key)),
                               member.key_at));
    }
  }
  return {};
}

Done validate_exactly_one(const Node& node, const Shape& shape, const std::string& what) {
  if (shape.exactly_one_of.empty()) return {};
  const auto given =
      std::count_if(shape.exactly_one_of.begin(), shape.exactly_one_of.end(),
                    [&](const std::string& key) { return node.find(key) != nullptr; });
  if (given == 1) return {};
  return fail(config_error(
      fmt::format("{} must have exactly one of {}", what, quoted_list(shape.exactly_one_of)),
      node.at));
}

Done validate_name(const Node::Member& member, const Shape& shape) {
  if (shape.names == Shape::Names::any || is_variable(member.key)) return {};
  return fail(config_error(fmt::format("{} is not the name of a variable", quoted(member.key)),
                           member.key_at, "use letters, digits and `_`"));
}

Done validate_mapping(const Node& node, const Shape& shape, const std::string& what) {
  if (shape.empty == Shape::Empty::allowed && node.type == Node::Type::null) return {};
  if (node.type != Node::Type::mapping) return fail(wrong_type(node, "a mapping", what));
  if (node.members.empty() && shape.empty == Shape::Empty::refused) {
    return fail(config_error(fmt::format("{} must not be empty", what), node.at));
  }
  for (const Node::Member& member : node.members) {
    TRY_DONE(validate_member(member, shape));
    TRY_DONE(validate_name(member, shape));
  }
  for (const Key& key : shape.keys) {
    if (key.need == Need::required && node.find(key.name) == nullptr) {
      return fail(config_error(fmt::format("{} lacks {}", what, quoted(key.name)), node.at,
                               fmt::format("add {}: {}", quoted(key.name), key.about)));
    }
  }
  TRY_DONE(validate_append(node));
  return validate_exactly_one(node, shape, what);
}

Done validate_by_value(const Node& node, const Shape& shape, const std::string& what) {
  if (node.type != Node::Type::mapping) return validate(node, shape.item[0], what);
  if (node.members.empty()) {
    return fail(config_error(fmt::format("{} must not be empty", what), node.at));
  }
  for (const Node::Member& member : node.members) {
    TRY_DONE(
        validate(member.value, shape.item[0], fmt::format("{} of {}", what, quoted(member.key))));
  }
  return {};
}

/// Checks one of `allowed` where a mapping of `keys` is possible, too.
Done validate_word(const Node& node, const Shape& shape, const std::string& what) {
  if (std::find(shape.allowed.begin(), shape.allowed.end(), node.scalar) != shape.allowed.end()) {
    return {};
  }
  if (find_key(shape.keys, node.scalar) != nullptr) {
    return fail(
        config_error(fmt::format("{} needs a value", quoted(node.scalar)), node.at,
                     fmt::format("write {}", quoted(fmt::format("{{{}: ...}}", node.scalar)))));
  }
  return fail(config_error(fmt::format("{} cannot be {}", what, quoted(node.scalar)), node.at,
                           suggest(node.scalar, words_of(shape))));
}

Done validate_tagged(const Node& node, const Shape& shape, const std::string& what) {
  if (node.type == Node::Type::scalar) return validate_word(node, shape, what);
  if (node.type != Node::Type::mapping || node.members.size() != 1) {
    return fail(config_error(
        fmt::format("{} is a name, or a mapping of one name to its value", what), node.at));
  }
  const Node::Member& member = node.members[0];
  if (const Key* const key = find_key(shape.keys, member.key)) {
    return validate(member.value, key->shape, quoted(member.key));
  }
  const bool bare =
      std::find(shape.allowed.begin(), shape.allowed.end(), member.key) != shape.allowed.end();
  return fail(config_error(bare ? fmt::format("{} takes no value", quoted(member.key))
                                : fmt::format("{} cannot be {}", what, quoted(member.key)),
                           member.key_at, bare ? "" : suggest(member.key, words_of(shape))));
}

}  // namespace

Done validate(const Node& node, const Shape& shape, const std::string& what) {
  switch (shape.kind) {
    case Shape::Kind::scalar:
      return validate_scalar(node, shape, what);
    case Shape::Kind::list:
      return validate_list(node, shape, what);
    case Shape::Kind::scalar_or_list:
      if (node.type != Node::Type::sequence) return validate(node, shape.item[0], what);
      return validate_list(node, shape, what);
    case Shape::Kind::mapping:
      return validate_mapping(node, shape, what);
    case Shape::Kind::by_value:
      return validate_by_value(node, shape, what);
    case Shape::Kind::word_or_mapping:
      return node.type == Node::Type::scalar ? validate_word(node, shape, what)
                                             : validate_mapping(node, shape, what);
    case Shape::Kind::tagged:
      return validate_tagged(node, shape, what);
  }
  return {};
}

}  // namespace pinwheel::matrix
