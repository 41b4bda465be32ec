#include "matrix/schema.h"

#include <utility>

#include "base/text.h"
#include "matrix/shapes.h"
#include "matrix/target_kind.h"

// The schema of matrix files. It contains no key without an effect.

namespace pinwheel::matrix {
namespace {

using namespace shapes;

/// Conditions: axis name -> one pattern or a list of patterns.
Shape when() {
  return mapping_to(with_item(Kind::scalar_or_list, scalar(Format::text)));
}

Shape rows() {
  return list(mapping_to(scalar(Format::scalar)), Shape::Empty::allowed);
}

Shape texts() {
  return list(scalar(Format::text), Shape::Empty::allowed);
}

Shape dependencies() {
  return list(scalar(Format::dependency), Shape::Empty::allowed);
}

/// Values of environment variables by name.
Shape variables() {
  Shape shape = mapping_to(scalar(Format::text), Shape::Empty::allowed);
  shape.names = Shape::Names::variables;
  return shape;
}

Shape argv() {
  return list(scalar(Format::text));
}

Shape version() {
  return mapping({
      {"from", one_of({"git-tag", "calver", "file", "project"}), "where the version comes from"},
      {"match", scalar(Format::text), "glob on tags; the `*` matches the version"},
      {"bump", one_of({"major", "minor", "patch"}),
       "the part of the version to increment after a release"},
      {"file", scalar(Format::text), "with `from: file`: path relative to the package source"},
      {"recut", scalar(Format::boolean),
       "whether the tag of a version followed by `-rN` means its wheels with build number N"},
  });
}

Shape requires_shape() {
  return mapping({
      {"torch", one_of({"auto"}),
       "set the torch requirement in Requires-Dist from the ABI that the wheel uses"},
      {"siblings", list(scalar(Format::name)),
       "names of packages of the family whose exact version the wheel requires"},
  });
}

Shape package() {
  Shape shape = mapping({
      {"name", scalar(Format::name), "the distribution's name", Need::required},
      {"source", scalar(Format::text), "the project's directory, relative to the matrix file"},
      {"requirement", scalar(Format::requirement),
       "instead of `source`: an sdist on the index, such as torch-scatter==2.1.2"},
      {"version", version(), "where the version comes from"},
      {"sdist", scalar(Format::boolean), "whether to build the sdist as well"},
      {"ignore", texts(),
       "patterns as in .gitignore: files that wheel builds do not receive; `!` includes a file "
       "again"},
      {"requires", requires_shape(), "requirements to add to the wheel's metadata"},
  });
  shape.exactly_one_of = {"source", "requirement"};
  return shape;
}

Shape rules() {
  return list(
      mapping({
          {"when", when(), "the variants the rule applies to", Need::required},
          {"status", one_of({"supported", "experimental", "unmaintained", "unsupported"}),
           "the support status of these variants"},
          {"only", when(),
           "a condition: variants that match `when` but not this condition are removed"},
          {"channels", list(scalar(Format::name)), "the only channels these variants run in"},
          {"because", scalar(Format::text), "the reason, shown in the support table"},
      }),
      Shape::Empty::allowed);
}

Shape abi() {
  return mapping({
      {"python", scalar(Format::python_abi),
       "none, limited(3.10), limited(3.10) else version, or version"},
      {"torch", scalar(Format::torch_abi), "none, stable(2.10) or minor"},
      {"compute", one_of({"none", "major", "exact"}),
       "the part of the toolkit version that the binary depends on"},
  });
}

Shape family() {
  return list(mapping({
      {"name", scalar(Format::name), "the distribution's name", Need::required},
      {"source", scalar(Format::text), "the project's directory, relative to the matrix file",
       Need::required},
      {"sdist", scalar(Format::boolean), "whether to build its sdist as well"},
      {"ignore", texts(), "as `package.ignore`"},
      {"requires", requires_shape(), "requirements to add to the wheel's metadata"},
      {"abi", abi(), "the parts that differ from the matrix's `abi`"},
  }));
}

Shape environment() {
  return mapping({
      {"container",
       mapping({
           {"dockerfile", by_value(scalar(Format::text)),
            "the Dockerfile, relative to the matrix file; default: the base image as is"},
           {"base", by_value(scalar(Format::image)), "the base image, build argument BASE_IMAGE",
            Need::required},
           {"target", by_value(scalar(Format::text)),
            "the target stage of the Dockerfile; default: the last"},
           {"arguments", variables(), "additional build arguments"},
       }),
       "the container that `--engine docker` and `podman` use"},
      {"mirrors", mapping_to(scalar(Format::text)),
       "replacement images: a glob on the image name, and the image to use instead"},
      {"conda",
       mapping({
           {"channels", list(scalar(Format::text)), "names or URLs, highest priority first",
            Need::required},
           {"packages", texts(), "match specs, python={python}"},
           {"toolkit", texts(),
            "match specs of the toolkit for `toolkit: conda`; default: the cuda-toolkit of the "
            "class"},
       }),
       "the packages for `--python conda`, and toolkits from conda"},
      {"python", one_of({"found", "auto"}),
       "a Python that is not on this machine: an error, or downloaded by uv or conda"},
      {"tools", dependencies(), "build tools: cmake>=3.26"},
      {"pip", dependencies(), "other build requirements, from PyPI"},
      {"build-requires", one_of({"auto", "none"}),
       "whether to install the requirements of the project's `[build-system]`"},
      {"torch",
       mapping({
           {"spec", by_value(scalar(Format::torch_spec)), "the requirement, torch~=2.13.0"},
           {"index", by_value(scalar(Format::url)), "an extra index for torch only"},
       }),
       "the torch to install in environments"},
      {"toolkit",
       tagged({"auto", "path", "pypi", "conda", "container"},
              {{"pypi", texts(), "additions to a toolkit from PyPI"}}),
       "where the CUDA or ROCm toolkit comes from"},
      {"compiler-cache", one_of({"ccache", "sccache", "none"}),
       "the program through which builds compile, if it works; it changes no wheel"},
      {"variables", variables(), "environment variables of builds and tests"},
      {"secrets", texts(),
       "names of the caller's variables that builds and tests receive and no output shows"},
  });
}

Shape build() {
  return mapping({
      {"command", argv(), "the build command (argv), which writes a wheel to {dest_dir}"},
      {"arch-list", texts(), "device architectures: 8.0, 12.0+PTX, gfx90a"},
      {"memory-per-job", scalar(Format::bytes), "the peak memory of one compile job"},
      {"timeout", scalar(Format::duration), "the time limit of one attempt"},
      {"checkpoint",
       mapping({
           {"every", scalar(Format::duration), "the time between checkpoints of a running build"},
           {"before", scalar(Format::duration),
            "how long before the end of the job's time the build is stopped"},
       }),
       "save the state of a build that outlasts its job, so that the next job continues it"},
      {"split", one_of({"architectures", "none"}),
       "compile the device code of each architecture in a job of its own"},
      {"retry",
       mapping({
           {"transient", scalar(Format::count), "retries after a transient failure"},
           {"backoff", scalar(Format::backoff), "the first and the longest delay, 5s..2m"},
       }),
       "when to retry"},
      {"repair", with_item(Kind::scalar_or_list, scalar(Format::text)),
       "how to bundle system libraries: auto, none, or a command (argv) with {wheel} and "
       "{dest_dir}"},
      {"external", texts(), "libraries that others provide and no wheel includes: libfoo.so.*"},
      {"network", scalar(Format::boolean), "whether the build command can use the network"},
      {"with", scalar(Format::text), "the id of the variant whose environment builds the class"},
  });
}

/// The rules of `inspect` without arguments.
std::vector<std::string> wheel_rules() {
  return split(
      "wheel-name record metadata archive special-members hidden-characters platform-tag "
      "needed-libraries undefined-symbols rpath python-abi executable-stack text-relocations "
      "relro debug-info gpu-label gpu-driver torch-requirement byte-code top-level "
      "duplicates odd-members device-code bundled-libraries module-init cuda-runtime "
      "cpu-baseline compiled-here torch-bounds variant",
      ' ');
}

Shape checks() {
  return mapping({
      {"before",
       list(tagged({"compiler", "toolkit", "torch-variant"},
                   {{"header", scalar(Format::text), "a header that must be present"},
                    {"import", scalar(Format::module), "a module that must be importable"}}),
            Shape::Empty::allowed),
       "checks of the build environment"},
      {"after",
       list(tagged(wheel_rules(), {{"size", scalar(Format::bytes), "the maximum size of a wheel"},
                                   {"operators", list(scalar(Format::operator_name)),
                                    "operators that the library must register"}}),
            Shape::Empty::allowed),
       "checks of the wheel"},
      {"accept", list(one_of(wheel_rules()), Shape::Empty::allowed),
       "rules of the wheel whose findings the project intends"},
  });
}

Shape test() {
  return mapping({
      {"pip", dependencies(), "requirements of the tests only"},
      {"environment", one_of({"clean", "build"}),
       "the packages of the test besides the wheel and `test.pip`: the variant's torch, or the "
       "build's packages too"},
      {"command", texts(), "the test command (argv); default: only import the package"},
      {"hardware", by_value(scalar(Format::hardware)),
       "the hardware that the tests need: none, gpu, or a device of the machine, /dev/accel0"},
      {"without-gpu", texts(),
       "the test command (argv) when CUDA tests need a GPU and there is none; its evidence is "
       "`loaded`"},
      {"timeout", scalar(Format::duration), "the time limit of one test run"},
      {"images", list(scalar(Format::image), Shape::Empty::allowed),
       "distributions on which each wheel is also installed and tested"},
      {"python", one_of({"image", "provided"}),
       "the Python in those images: the distribution's own, or one that the Dockerfile provides"},
      {"dockerfile", by_value(scalar(Format::text)),
       "the Dockerfile built on each image, relative to the matrix file; default: the image as is"},
      {"arguments", variables(), "additional build arguments for that Dockerfile"},
  });
}

Shape overrides() {
  return list(mapping({
                  {"when", when(), "the variants the override applies to", Need::required},
                  {"environment", patch_of(environment()), "merged into `environment`"},
                  {"build", patch_of(build()), "merged into `build`"},
                  {"checks", patch_of(checks()), "merged into `checks`"},
                  {"test", patch_of(test()), "merged into `test`"},
              }),
              Shape::Empty::allowed);
}

Shape channel() {
  Shape shape = mapping({
      {"select", when(), "the variants that run in the channel; default: all"},
      {"version", one_of({"nightly"}), "a date-based version instead of the commit's"},
      {"publish", list(scalar(Format::name), Shape::Empty::allowed),
       "the targets it publishes to; empty: nowhere"},
      {"through", scalar(Format::name),
       "the index that gets the files first; the others follow after an install test from it"},
  });
  shape.empty = Shape::Empty::allowed;
  return shape;
}

std::vector<std::string> target_kinds() {
  std::vector<std::string> names;
  names.reserve(kTargetKinds.size());
  for (const TargetKind kind : kTargetKinds) names.emplace_back(to_string(kind));
  return names;
}

std::vector<std::string> upload_auths() {
  std::vector<std::string> words;
  words.reserve(kUploadAuths.size());
  for (const UploadAuth auth : kUploadAuths) words.emplace_back(to_string(auth));
  return words;
}

/// "one, two or three".
std::string alternatives(std::vector<std::string> names) {
  const std::string last = names.back();
  names.pop_back();
  return join(names, ", ") + " or " + last;
}

Shape publish() {
  Shape target = mapping({
      {"kind", one_of(target_kinds()), alternatives(target_kinds()), Need::required},
      {"url", scalar(Format::url), "kind `index`: where files are uploaded"},
      {"check-url", scalar(Format::url),
       "kind `index`: its simple API, which lists the files; default: derived from `url`"},
      {"auth", one_of(upload_auths()),
       "a token issued for the job, your own token, or (kind `index`) no credentials; default: "
       "your own, else one issued if the job has an identity"},
      {"audience", scalar(Format::text),
       "kind `index`: the audience of the identity tokens that it accepts; default: its host or "
       "URL"},
      {"attestations",
       one_of(
           {std::string(to_string(Attesting::always)), std::string(to_string(Attesting::never))}),
       "whether files are signed with the identity of the job; default: on PyPI and TestPyPI, if "
       "their token is issued for the job"},
      {"sigstore", scalar(Format::text),
       "not for PyPI and TestPyPI: the client trust configuration of your own Sigstore, "
       "relative to the matrix file; default: the public instance"},
      {"confirm", one_of({"none"}), "kind `index`: do not look up the files after their upload"},
      {"size-limit", scalar(Format::bytes), "the largest file that the index accepts, 300 MB"},
      {"path", scalar(Format::text), "kind `directory`: relative to the matrix file"},
      {"bucket", scalar(Format::text), "kind `s3`: s3://BUCKET/PREFIX"},
      {"files", scalar(Format::text),
       "kind `directory`: the target of kind `github-release` that stores the files; default: the "
       "directory itself"},
      {"variants", one_of({"pep850", "pep825"}),
       "kinds `directory`, `s3` and `github-release`: make wheel variants of this draft; default: "
       "none"},
      {"keep-nightlies", scalar(Format::count),
       "kinds `directory` and `s3`: the number of nightlies of a project to list; default: all"},
      {"repository", scalar(Format::text),
       "kind `github-release`: OWNER/NAME; default: that of the job or of the remote `origin`"},
      {"api", scalar(Format::url),
       "kind `github-release`: the API of a GitHub server; default: that of the job, or GitHub's"},
      {"notes", scalar(Format::text),
       "kind `github-release`: the changelog, relative to the matrix file; default: CHANGELOG.md "
       "of the package"},
      {"default", scalar(Format::text), "the compute whose wheels use the plain name"},
      {"others", one_of({"name-suffix"}),
       "other computes and values of custom axes: appended to the name"},
      {"name", scalar(Format::distribution), "template for the distribution name, {name}-nightly"},
      {"label", scalar(Format::local_label), "`local`, or a template for the local version"},
  });
  Shape shape = mapping_to(std::move(target));
  shape.keys = {{"require", by_value(one_of({"ran", "loaded", "inspected", "none"})),
                 "the evidence required from tests"}};
  return shape;
}

/// One label or several, by compute and architecture.
Shape labels_by_value() {
  return by_value(with_item(Kind::scalar_or_list, scalar(Format::text)));
}

Shape ci() {
  return mapping({
      {"name", scalar(Format::name), "a part of the names of files, workflows and checks"},
      {"on",
       word_or_mapping(
           {"keys"},
           {
               {"paths", texts(), "the files whose change starts a run; default: all"},
               {"keys", scalar(Format::boolean),
                "whether a pull request runs only variants whose keys differ from its base"},
               {"nightly", scalar(Format::cron), "when the nightly runs, in UTC: 17 3 * * *"},
               {"tags", list(scalar(Format::text)), "the tags whose push starts a release"},
           }),
       "the events that start the workflows; `keys` is short for {keys: true}"},
      {"runners",
       mapping({
           {"build", labels_by_value(), "labels of the runners that build"},
           {"test", labels_by_value(), "labels of the runners that test"},
       }),
       "by compute, followed by `@ARCH` for one architecture: the labels of `runs-on`"},
      {"driver", by_value(scalar(Format::text)),
       "by compute: the command that installs a driver if the runner of a GPU test has none"},
      {"container",
       mapping({
           {"image", scalar(Format::image), "the image, debian:12", Need::required},
           {"prepare", scalar(Format::text),
            "the command that installs missing programs, before the checkout"},
       }),
       "the container that all jobs run in"},
      {"timeout", scalar(Format::duration), "the time limit of one job"},
      {"retention", scalar(Format::duration),
       "how long GitHub stores the artifacts of pull requests and nightlies"},
      {"engine", one_of({"host", "docker", "podman"}),
       "where the steps of jobs run: on the runner's own system, or in containers"},
      {"concurrency", one_of({"cancel", "queue"}),
       "how a new commit affects the outdated runs of a pull request"},
      {"environments", mapping_to(scalar(Format::name)),
       "by publish target: the environment that protects its job"},
      {"forks", one_of({"build", "test"}),
       "the last stage that runs for a pull request from a fork"},
      {"comment", scalar(Format::boolean),
       "whether one comment of a pull request shows what differs from its base"},
      {"store", scalar(Format::text), "an additional place for results, s3://bucket/prefix"},
  });
}

Shape declared_compute() {
  Shape shape = mapping({
      {"hardware", scalar(Format::hardware),
       "the hardware that its tests need: none, gpu, or a device"},
      {"label", scalar(Format::text), "its name in ids and versions; default: from the name"},
      {"index", scalar(Format::url), "the index of its torch"},
  });
  shape.empty = Shape::Empty::allowed;
  return shape;
}

Shape file() {
  return mapping({
      {"schema", one_of({"pinwheel/1"}), "the version of this format, pinwheel/1", Need::required},
      {"package", package(), "its name, and its source or requirement", Need::required},
      {"family", family(), "more packages of the same version, which may require one another"},
      {"axes", mapping_to(list(scalar(Format::text))),
       "the axes and their values, in the order they appear in ids", Need::required},
      {"attributes", list(scalar(Format::name), Shape::Empty::allowed),
       "additional keys that `include` may set"},
      {"exclude", rows(), "combinations to drop, as in GitHub Actions; globs too"},
      {"include", rows(), "combinations to add or extend, as in GitHub Actions; globs too"},
      {"computes", mapping_to(declared_compute()),
       "by name: computes other than cpu, cuda/X.Y, rocm/X.Y and xpu"},
      {"rules", rules(), "the supported variants, and why"},
      {"abi", abi(), "the parts of a variant that the binary depends on"},
      {"environment", environment(), "the environments of builds and tests"},
      {"build", build(), "how a wheel is built"},
      {"checks", checks(), "checks before and after a build"},
      {"test", test(), "how a wheel is tested"},
      {"overrides", overrides(), "changes to the four sections above, applied in order"},
      {"channels", mapping_to(channel()), "the sets of variants that workflows run"},
      {"publish", publish(), "where wheels are published, and their names there"},
      {"ci", ci(), "the workflows that `pinwheel ci generate` writes"},
      {"store", list(scalar(Format::text)),
       "the places that share results, nearest first: local, dir:PATH, https://..."},
  });
}

}  // namespace

const Shape& matrix_shape() {
  static const Shape shape = file();
  return shape;
}

}  // namespace pinwheel::matrix
