#include "publish/upload_order.h"

#include "unit/catch.h"

namespace pinwheel::publish {
namespace {

using Names = std::vector<std::string>;

Artifact ordered_wheel(const std::string& project, const std::string& version = "1.0",
                       const Names& requirements = {}) {
  Artifact out;
  out.filename = project + "-" + version + "-py3-none-any.whl";
  out.name = project;
  out.version = version;
  out.metadata = "Metadata-Version: 2.1\nName: " + project + "\nVersion: " + version + "\n";
  for (const std::string& line : requirements) out.metadata += "Requires-Dist: " + line + "\n";
  return out;
}

Artifact ordered_sdist(const std::string& project, const Names& requirements = {}) {
  Artifact out = ordered_wheel(project, "1.0", requirements);
  out.kind = FileKind::sdist;
  out.filename = project + "-1.0.tar.gz";
  return out;
}

/// The order of the projects, each once per group of its files.
Names order_of(const std::vector<Artifact>& files) {
  Names names;
  for (const Artifact& file : in_upload_order(files)) names.push_back(file.filename);
  return names;
}

Names wheels_of(const Names& projects) {
  Names names;
  for (const std::string& project : projects) names.push_back(project + "-1.0-py3-none-any.whl");
  return names;
}

TEST_CASE("upload order is by project, wheels by name, the sdists last") {
  CHECK(order_of({ordered_wheel("b"), ordered_sdist("a"), ordered_wheel("a", "1.1"),
                  ordered_sdist("b"), ordered_wheel("a")}) ==
        Names{"a-1.0-py3-none-any.whl", "a-1.1-py3-none-any.whl", "b-1.0-py3-none-any.whl",
              "a-1.0.tar.gz", "b-1.0.tar.gz"});
  CHECK(order_of({}).empty());
}

TEST_CASE("a wheel is sent after those that it pins") {
  CHECK(order_of({ordered_wheel("a", "1.0", {"B==1.0"}),
                  ordered_wheel("b", "1.0", {"c[x]==1; extra == 'y'"}), ordered_wheel("c"),
                  ordered_wheel("d")}) == wheels_of({"c", "b", "a", "d"}));
  // The sdists are last all the same, in the order of the projects.
  CHECK(order_of({ordered_sdist("a"), ordered_wheel("a", "1.0", {"b==1.0"}), ordered_wheel("b"),
                  ordered_sdist("b")}) ==
        Names{"b-1.0-py3-none-any.whl", "a-1.0-py3-none-any.whl", "b-1.0.tar.gz", "a-1.0.tar.gz"});
}

TEST_CASE("one wheel that pins another project moves all wheels of its project") {
  CHECK(order_of({ordered_wheel("a", "1.0+cpu"), ordered_wheel("a", "1.0+cu130", {"b==1.0+cu130"}),
                  ordered_wheel("b", "1.0+cu130"), ordered_wheel("b", "1.0+cpu")}) ==
        Names{"b-1.0+cpu-py3-none-any.whl", "b-1.0+cu130-py3-none-any.whl",
              "a-1.0+cpu-py3-none-any.whl", "a-1.0+cu130-py3-none-any.whl"});
}

TEST_CASE("only an exact requirement on a version among the files counts") {
  for (const char* const line : {"b>=1.0", "b==2.0", "b==1.*", "b===1.0", "b", "b ==", "x==1.0"}) {
    CAPTURE(line);
    CHECK(order_of({ordered_wheel("b"), ordered_wheel("a", "1.0", {line})}) ==
          wheels_of({"a", "b"}));
  }
  // An sdist is no wheel to wait for, and an extra of the same project is no other project.
  CHECK(order_of({ordered_sdist("b"), ordered_wheel("a", "1.0", {"b==1.0", "a[x]==1.0"})}) ==
        Names{"a-1.0-py3-none-any.whl", "b-1.0.tar.gz"});
}

TEST_CASE("projects that pin each other keep their order, and those that pin them follow") {
  CHECK(order_of({ordered_wheel("b", "1.0", {"a==1.0"}), ordered_wheel("a", "1.0", {"b==1.0"})}) ==
        wheels_of({"a", "b"}));
  CHECK(order_of({ordered_wheel("a", "1.0", {"c==1.0"}), ordered_wheel("b", "1.0", {"c==1.0"}),
                  ordered_wheel("c", "1.0", {"d==1.0"}),
                  ordered_wheel("d", "1.0", {"c==1.0", "e==1.0"}), ordered_wheel("e")}) ==
        wheels_of({"e", "c", "d", "a", "b"}));
}

}  // namespace
}  // namespace pinwheel::publish
