#pragma once
#include <string>
#include <utility>
#include <vector>

#include "matrix/schema.h"

/// The vocabulary of the schema's table.
namespace pinwheel::matrix::shapes {

using Kind = Shape::Kind;

inline Shape scalar(Format format) {
  Shape shape;
  shape.format = format;
  return shape;
}

inline Shape one_of(std::vector<std::string> allowed) {
  Shape shape;
  shape.allowed = std::move(allowed);
  return shape;
}

/// A shape of the given kind with one item.
inline Shape with_item(Kind kind, Shape item, Shape::Empty empty = Shape::Empty::refused) {
  Shape shape;
  shape.kind = kind;
  shape.item.push_back(std::move(item));
  shape.empty = empty;
  return shape;
}

inline Shape list(Shape item, Shape::Empty empty = Shape::Empty::refused) {
  return with_item(Kind::list, std::move(item), empty);
}

inline Shape mapping(std::vector<Key> keys) {
  Shape shape;
  shape.kind = Kind::mapping;
  shape.keys = std::move(keys);
  return shape;
}

inline Shape mapping_to(Shape item, Shape::Empty empty = Shape::Empty::refused) {
  return with_item(Kind::mapping, std::move(item), empty);
}

inline Shape by_value(Shape item) {
  return with_item(Kind::by_value, std::move(item));
}

inline Shape word_or_mapping(std::vector<std::string> allowed, std::vector<Key> keys) {
  Shape shape = mapping(std::move(keys));
  shape.kind = Kind::word_or_mapping;
  shape.allowed = std::move(allowed);
  return shape;
}

inline Shape tagged(std::vector<std::string> allowed, std::vector<Key> keys) {
  Shape shape;
  shape.kind = Kind::tagged;
  shape.allowed = std::move(allowed);
  shape.keys = std::move(keys);
  return shape;
}

}  // namespace pinwheel::matrix::shapes
