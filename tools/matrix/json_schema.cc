#include "matrix/json_schema.h"

#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "matrix/schema.h"

namespace pinwheel::matrix {
namespace {

using Json = nlohmann::ordered_json;

/// The regular expression of a format; "" if any nonempty text is valid. It accepts the same texts
/// as `has_format`, as far as a regular expression can express it.
std::string_view pattern_of(Format format) {
  switch (format) {
    case Format::name:
      return "^[A-Za-z0-9._-]+$";
    case Format::bytes:
      return "^(?=[0-9.]*[1-9])[0-9]+(\\.[0-9]+)? *([kKmMgG]?[bB]?|[kKmMgGtT][iI][bB])$";
    case Format::duration:
      return "^(?=[0-9.]*[1-9])[0-9]+(\\.[0-9]+)? *(ms|s|sec|m|min|h|hour|hours|d)$";
    case Format::backoff:
      return "^(?=[0-9.]*[1-9])[0-9]+(\\.[0-9]+)? *(ms|s|sec|m|min|h|hour|hours|d)\\.\\."
             "(?=[0-9.]*[1-9])[0-9]+(\\.[0-9]+)? *(ms|s|sec|m|min|h|hour|hours|d)$";
    case Format::python_abi:
      return "^(none|version|limited\\([0-9]+\\.[0-9]+\\)( else version)?)$";
    case Format::torch_abi:
      return "^(none|minor|stable\\([0-9]+\\.[0-9]+\\))$";
    case Format::requirement:
      return "^[A-Za-z0-9._-]+==[A-Za-z0-9._+!-]+$";
    case Format::hardware:
      return "^(none|gpu|/[^ ]+)$";
    case Format::cron:
      return "^[A-Za-z0-9*,/-]+( [A-Za-z0-9*,/-]+){4}$";
    case Format::text:
    case Format::scalar:
    case Format::boolean:
    case Format::count:
    case Format::dependency:
    case Format::torch_spec:
    case Format::url:
    case Format::image:
    case Format::module:
    case Format::operator_name:
    case Format::distribution:
    case Format::local_label:
      break;
  }
  return "";
}

Json scalar_schema(const Shape& shape) {
  if (!shape.allowed.empty()) return {{"enum", shape.allowed}};
  switch (shape.format) {
    case Format::boolean:
      return {{"type", "boolean"}};
    case Format::count:
      return {{"type", "integer"}, {"minimum", 0}, {"maximum", 99}};
    case Format::scalar:
      return {{"type", {"string", "number", "boolean"}}, {"minLength", 1}};
    case Format::text:
    case Format::local_label:
      return {{"type", {"string", "number"}}, {"minLength", 1}};
    case Format::dependency:
    case Format::torch_spec:
    case Format::url:
    case Format::image:
    case Format::module:
    case Format::operator_name:
    case Format::distribution:
      return {{"type", "string"}, {"minLength", 1}};
    case Format::name:
      return {{"type", {"string", "number"}}, {"pattern", pattern_of(shape.format)}};
    case Format::bytes:
      return {{"type", {"string", "integer"}},
              {"exclusiveMinimum", 0},
              {"pattern", pattern_of(shape.format)}};
    default:
      return {{"type", "string"}, {"pattern", pattern_of(shape.format)}};
  }
}

Json schema_of(const Shape& shape);

Json list_schema(const Shape& shape) {
  Json list = {{"type", "array"}, {"items", schema_of(shape.item[0])}};
  if (shape.empty == Shape::Empty::refused) list["minItems"] = 1;
  return list;
}

/// Rejects a list given both as `key` and as `+key`.
void forbid_both(Json& schema, const std::vector<Key>& keys) {
  for (const Key& key : keys) {
    if (!key.name.starts_with('+')) continue;
    schema["allOf"].push_back({{"not", {{"required", {key.name.substr(1), key.name}}}}});
  }
}

Json mapping_schema(const Shape& shape) {
  Json schema = {{"type", "object"}};
  if (shape.empty == Shape::Empty::allowed) {
    schema["type"] = {"object", "null"};
  } else {
    schema["minProperties"] = 1;
  }
  Json required = Json::array();
  for (const Key& key : shape.keys) {
    Json value = schema_of(key.shape);
    value["description"] = key.about;
    schema["properties"][key.name] = std::move(value);
    if (key.need == Need::required) required.push_back(key.name);
  }
  if (!required.empty()) schema["required"] = std::move(required);
  schema["additionalProperties"] = shape.item.empty() ? Json(false) : schema_of(shape.item[0]);
  if (!shape.item.empty()) {
    schema["propertyNames"] = shape.names == Shape::Names::variables
                                  ? Json{{"pattern", "^[A-Za-z_][A-Za-z0-9_]*$"}}
                                  : Json{{"minLength", 1}};
  }
  for (const std::string& name : shape.exactly_one_of) {
    schema["oneOf"].push_back({{"required", {name}}});
  }
  forbid_both(schema, shape.keys);
  return schema;
}

Json tagged_schema(const Shape& shape) {
  Json object = {{"type", "object"}, {"minProperties", 1}, {"maxProperties", 1}};
  for (const Key& key : shape.keys) {
    Json value = schema_of(key.shape);
    value["description"] = key.about;
    object["properties"][key.name] = std::move(value);
  }
  object["additionalProperties"] = false;
  return {{"anyOf", {Json{{"enum", shape.allowed}}, std::move(object)}}};
}

Json schema_of(const Shape& shape) {
  switch (shape.kind) {
    case Shape::Kind::scalar:
      return scalar_schema(shape);
    case Shape::Kind::list:
      return list_schema(shape);
    case Shape::Kind::scalar_or_list:
      return {{"anyOf", {schema_of(shape.item[0]), list_schema(shape)}}};
    case Shape::Kind::mapping:
      return mapping_schema(shape);
    case Shape::Kind::by_value:
      return {
          {"anyOf",
           {schema_of(shape.item[0]), Json{{"type", "object"},
                                           {"minProperties", 1},
                                           {"additionalProperties", schema_of(shape.item[0])}}}}};
    case Shape::Kind::word_or_mapping:
      return {{"anyOf", {Json{{"enum", shape.allowed}}, mapping_schema(shape)}}};
    case Shape::Kind::tagged:
      return tagged_schema(shape);
  }
  return {};
}

}  // namespace

std::string json_schema() {
  Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                 {"title", "pinwheel matrix file"}};
  schema.update(schema_of(matrix_shape()));
  return schema.dump(2) + "\n";
}

}  // namespace pinwheel::matrix
