#include "matrix/schema.h"

#include <utility>

// The one table of what a matrix file may hold. A key that pinwheel does not act on is not in it.

namespace pinwheel::matrix {
namespace {

using Kind = Shape::Kind;

Shape scalar(Format format) {
  Shape shape;
  shape.format = format;
  return shape;
}

Shape one_of(std::vector<std::string> allowed) {
  Shape shape;
  shape.allowed = std::move(allowed);
  return shape;
}

/// A shape of another kind around an item.
Shape around(Kind kind, Shape item, Shape::Empty empty = Shape::Empty::refused) {
  Shape shape;
  shape.kind = kind;
  shape.item.push_back(std::move(item));
  shape.empty = empty;
  return shape;
}

Shape list(Shape item, Shape::Empty empty = Shape::Empty::refused) {
  return around(Kind::list, std::move(item), empty);
}

Shape mapping(std::vector<Key> keys) {
  Shape shape;
  shape.kind = Kind::mapping;
  shape.keys = std::move(keys);
  return shape;
}

Shape mapping_to(Shape item, Shape::Empty empty = Shape::Empty::refused) {
  return around(Kind::mapping, std::move(item), empty);
}

Shape by_value(Shape item) {
  return around(Kind::by_value, std::move(item));
}

Shape tagged(std::vector<std::string> allowed, std::vector<Key> keys) {
  Shape shape;
  shape.kind = Kind::tagged;
  shape.allowed = std::move(allowed);
  shape.keys = std::move(keys);
  return shape;
}

/// Conditions: axis name -> a pattern or several.
Shape when() {
  return mapping_to(around(Kind::scalar_or_list, scalar(Format::text)));
}

Shape rows() {
  return list(mapping_to(scalar(Format::scalar)), Shape::Empty::allowed);
}

Shape texts() {
  return list(scalar(Format::text), Shape::Empty::allowed);
}

Shape argv() {
  return list(scalar(Format::text));
}

Shape version() {
  return mapping({
      {"from", one_of({"git-tag", "calver", "file", "project"}), "where the version comes from"},
      {"match", scalar(Format::text), "glob on tags; the version is what `*` matched"},
      {"bump", one_of({"major", "minor", "patch"}), "the part that rises after a release"},
      {"file", scalar(Format::text), "with `from: file`: path relative to the package source"},
  });
}

Shape package() {
  Shape shape = mapping({
      {"name", scalar(Format::name), "the distribution's name", Need::required},
      {"source", scalar(Format::text), "the project's directory, relative to the matrix file"},
      {"requirement", scalar(Format::requirement),
       "instead of `source`: an sdist on the index, such as torch-scatter==2.1.2"},
      {"version", version(), "how the version is found"},
      {"sdist", scalar(Format::boolean), "whether to build the sdist as well"},
      {"requires",
       mapping({{"torch", one_of({"auto"}),
                 "write into Requires-Dist the torch releases that the ABI really needs"}}),
       "what the wheel's metadata requires"},
  });
  shape.exactly_one_of = {"source", "requirement"};
  return shape;
}

Shape rules() {
  return list(mapping({
                  {"when", when(), "the variants it speaks of", Need::required},
                  {"status", one_of({"supported", "experimental", "unmaintained", "unsupported"}),
                   "how they are maintained"},
                  {"only", when(), "of those variants, the ones that stay"},
                  {"channels", list(scalar(Format::name)), "the only channels they run in"},
                  {"because", scalar(Format::text), "the reason: a note of the support table"},
              }),
              Shape::Empty::allowed);
}

Shape abi() {
  return mapping({
      {"python", scalar(Format::python_abi), "none, limited(3.10) or version"},
      {"torch", scalar(Format::torch_abi), "none, stable(2.10) or minor"},
      {"compute", one_of({"major", "exact"}), "how much of the toolkit's version is in the binary"},
  });
}

Shape environment() {
  return mapping({
      {"container",
       mapping({
           {"dockerfile", by_value(scalar(Format::text)),
            "the Dockerfile, relative to the matrix file; without one the base is used as it is"},
           {"base", by_value(scalar(Format::text)), "the image it starts from, its BASE_IMAGE",
            Need::required},
           {"target", by_value(scalar(Format::text)),
            "the Dockerfile's stage; without one its last"},
           {"arguments", mapping_to(scalar(Format::text), Shape::Empty::allowed),
            "further build arguments"},
       }),
       "level 1: the container that `--engine docker` and `podman` work in"},
      {"mirrors", mapping_to(scalar(Format::text)),
       "images that stand in for others: a glob on the image's name, and the image to take"},
      {"conda",
       mapping({
           {"channels", list(scalar(Format::text)), "names or URLs, the first goes first",
            Need::required},
           {"packages", list(scalar(Format::text)), "match specs, python={python}"},
           {"toolkit", list(scalar(Format::text)),
            "match specs of the toolkit that `toolkit: conda` makes; cuda-toolkit of the class"},
       }),
       "level 2: the packages that `--python conda` solves, and toolkits from conda"},
      {"tools", texts(), "requirements of the build: cmake>=3.26"},
      {"pip", texts(), "requirements of the build, from PyPI"},
      {"torch",
       mapping({
           {"spec", by_value(scalar(Format::text)), "the requirement, torch~=2.13.0"},
           {"index", by_value(scalar(Format::text)), "an extra index for torch alone"},
       }),
       "the torch of environments"},
      {"toolkit", one_of({"auto", "path", "pypi", "conda", "container"}),
       "where the CUDA or ROCm toolkit comes from"},
      {"variables", mapping_to(scalar(Format::text), Shape::Empty::allowed),
       "environment variables of builds and tests"},
  });
}

Shape build() {
  return mapping({
      {"command", argv(), "the argv that leaves a wheel in {dest_dir}"},
      {"arch-list", list(scalar(Format::text)), "device architectures: 8.0, 12.0+PTX, gfx90a"},
      {"memory-per-job", scalar(Format::bytes), "the peak memory of one compile job"},
      {"timeout", scalar(Format::duration), "the time limit of one attempt"},
      {"retry",
       mapping({
           {"transient", scalar(Format::count), "retries after a fault that may pass"},
           {"backoff", scalar(Format::backoff), "the first and the longest pause, 5s..2m"},
       }),
       "when to try again"},
      {"with", scalar(Format::text), "the id of the variant whose environment builds the class"},
  });
}

Shape checks() {
  return mapping({
      {"before",
       list(tagged({"compiler", "toolkit", "torch-variant"},
                   {{"header", scalar(Format::text), "a header that must be found"},
                    {"import", scalar(Format::text), "a module that must import"}}),
            Shape::Empty::allowed),
       "checks of the build environment"},
      {"after",
       list(tagged({"wheel-name",   "record",           "metadata",          "archive",
                    "platform-tag", "needed-libraries", "undefined-symbols", "rpath",
                    "python-abi",   "executable-stack", "text-relocations",  "relro",
                    "debug-info",   "gpu-label",        "gpu-driver",        "torch-requirement",
                    "byte-code",    "top-level",        "duplicates",        "odd-members",
                    "device-code"},
                   {{"size", scalar(Format::bytes), "the most that a wheel may weigh"},
                    {"operators", list(scalar(Format::text)),
                     "operators that the library must register"}}),
            Shape::Empty::allowed),
       "checks of the wheel"},
  });
}

Shape test() {
  return mapping({
      {"pip", texts(), "requirements of the tests alone"},
      {"command", argv(), "the argv of the tests; without one the package is imported only"},
      {"hardware", by_value(one_of({"none", "gpu"})), "what the tests need"},
      {"without-gpu", argv(),
       "the argv where tests for CUDA need a GPU and none is here; what it proves is `loaded`"},
      {"timeout", scalar(Format::duration), "the time limit of one test run"},
      {"images", texts(), "distributions on which each wheel is installed and tested as well"},
      {"python", one_of({"image", "provided"}),
       "in those images: the distribution's own Python, or one that the Dockerfile brings"},
      {"dockerfile", by_value(scalar(Format::text)),
       "what is built on each image, relative to the matrix file; without one it is used as it is"},
      {"arguments", mapping_to(scalar(Format::text), Shape::Empty::allowed),
       "further build arguments of that Dockerfile"},
  });
}

Shape overrides() {
  return list(mapping({
                  {"when", when(), "the variants it holds for", Need::required},
                  {"environment", patch_of(environment()), "merged into `environment`"},
                  {"build", patch_of(build()), "merged into `build`"},
                  {"checks", patch_of(checks()), "merged into `checks`"},
                  {"test", patch_of(test()), "merged into `test`"},
              }),
              Shape::Empty::allowed);
}

Shape channel() {
  Shape shape = mapping({
      {"select", when(), "the variants that run in it; without one all"},
      {"version", one_of({"nightly"}), "a dated version instead of the commit's"},
      {"publish", list(scalar(Format::name)), "the targets it publishes to"},
  });
  shape.empty = Shape::Empty::allowed;
  return shape;
}

Shape publish() {
  Shape target = mapping({
      {"kind", one_of({"pypi", "testpypi", "index", "directory"}),
       "pypi, testpypi, index or directory", Need::required},
      {"url", scalar(Format::text), "kind `index`: where files are uploaded"},
      {"auth", one_of({"none"}), "kind `index`: uploads go without credentials"},
      {"size-limit", scalar(Format::bytes), "the largest file that the index takes, 300 MB"},
      {"path", scalar(Format::text), "kind `directory`: relative to the matrix file"},
      {"default", scalar(Format::text), "the compute that keeps the plain name"},
      {"others", one_of({"name-suffix"}), "other computes and values of own axes: behind the name"},
      {"name", scalar(Format::text), "template of the distribution's name, {name}-nightly"},
      {"label", scalar(Format::text), "`local`, or a template of the local version"},
  });
  Shape shape = mapping_to(std::move(target));
  shape.keys = {{"require", by_value(one_of({"ran", "loaded", "inspected", "none"})),
                 "the evidence that a test must have produced"}};
  return shape;
}

Shape file() {
  return mapping({
      {"schema", one_of({"pinwheel/1"}), "the version of this format, pinwheel/1", Need::required},
      {"package", package(), "its name, and its source or requirement", Need::required},
      {"axes", mapping_to(list(scalar(Format::text))),
       "each axis with its values; the order is that of ids", Need::required},
      {"attributes", list(scalar(Format::name), Shape::Empty::allowed),
       "further keys that `include` may set"},
      {"exclude", rows(), "combinations to drop, as GitHub Actions does"},
      {"include", rows(), "combinations to add to, as GitHub Actions does"},
      {"rules", rules(), "what is supported, where, and why"},
      {"abi", abi(), "what of a variant is in the binary"},
      {"environment", environment(), "the environments of builds and tests"},
      {"build", build(), "how a wheel is built"},
      {"checks", checks(), "checks before and after a build"},
      {"test", test(), "how a wheel is tested"},
      {"overrides", overrides(), "ordered changes to the four sections above"},
      {"channels", mapping_to(channel()), "the sets of variants that workflows run"},
      {"publish", publish(), "where wheels go, and how they are named there"},
  });
}

}  // namespace

const Shape& matrix_shape() {
  static const Shape shape = file();
  return shape;
}

}  // namespace pinwheel::matrix
