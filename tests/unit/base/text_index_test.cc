#include "base/text_index.h"

#include <string>

#include "unit/catch.h"

using namespace pinwheel;

TEST_CASE("a text has the index with which it was added first") {
  const std::vector<std::string> texts = {"a", "", "bc", "a", "b"};
  const auto text_at = [&texts](size_t i) -> std::string_view { return texts[i]; };
  TextIndex index;
  CHECK_FALSE(index.find("a", text_at));
  CHECK(index.add(texts[0], 0, text_at) == 0);
  CHECK(index.add(texts[1], 1, text_at) == 1);
  CHECK(index.add(texts[2], 2, text_at) == 2);
  CHECK(index.add(texts[3], 3, text_at) == 0);
  CHECK(index.find("a", text_at) == 0);
  CHECK(index.find("", text_at) == 1);
  CHECK(index.find("bc", text_at) == 2);
  CHECK_FALSE(index.find("b", text_at));
}

TEST_CASE("an index finds more texts than it was made for") {
  constexpr size_t kCount = 10000;
  std::vector<std::string> texts;
  texts.reserve(kCount);
  for (size_t i = 0; i < kCount; ++i) texts.push_back("text " + std::to_string(i));
  const auto text_at = [&texts](size_t i) -> const std::string& { return texts[i]; };
  TextIndex index(3);
  size_t added = 0;
  for (size_t i = 0; i < kCount; ++i) added += index.add(texts[i], i, text_at) == i ? 1 : 0;
  CHECK(added == kCount);
  size_t found = 0;
  for (size_t i = 0; i < kCount; ++i) found += index.find(texts[i], text_at) == i ? 1 : 0;
  CHECK(found == kCount);
  CHECK_FALSE(index.find("text 10000", text_at));
}

TEST_CASE("different texts have numbers in the order in which they were added") {
  UniqueTexts texts;
  CHECK(texts.add("a") == 0);
  CHECK(texts.add("") == 1);
  CHECK(texts.add("bc") == 2);
  CHECK(texts.add("b") == 3);
  CHECK(texts.add("") == 1);
  CHECK(texts.add("a") == 0);
  CHECK(texts.size() == 4);
}
