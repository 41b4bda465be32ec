#pragma once
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/map_difference.h"
#include "base/result.h"
#include "env/request.h"
#include "env/resolution.h"
#include "matrix/matrix.h"
#include "matrix/settings.h"
#include "matrix/variant.h"
#include "plan/make_plan.h"
#include "store/entry.h"

namespace pinwheel::plan {

/// The digests of requests (`env::digest`). Consecutive steps often have equal requests, so the
/// last digests are remembered.
class RequestDigests {
 public:
  const std::string& of(const env::Request& request);

 private:
  std::deque<std::pair<env::Request, std::string>> recent_;
};

/// The environment that builds a variant, without a toolkit. `config` if the matrix lacks what the
/// chosen levels require.
Result<env::Request> base_request(const matrix::Matrix& matrix, const matrix::Variant& variant,
                                  const matrix::Settings& settings, const PlanOptions& options);

/// The environment that tests a variant: its Python, the variant's torch and nothing else, in the
/// container of the build; or, with `test.environment: build`, the environment of the build.
Result<env::Request> test_request(const matrix::Matrix& matrix, const matrix::Variant& variant,
                                  const matrix::Settings& settings, const PlanOptions& options);

/// The environment into which a variant's wheel is installed from an index: that of a test, never
/// that of the build.
Result<env::Request> install_request(const matrix::Matrix& matrix, const matrix::Variant& variant,
                                     const matrix::Settings& settings, const PlanOptions& options);

/// The environment in which `checks.after: operators` loads a wheel, which is that of the variant's
/// tests; nullopt without that check.
Result<std::optional<env::Request>> operators_request(const matrix::Matrix& matrix,
                                                      const matrix::Variant& variant,
                                                      const matrix::Settings& settings,
                                                      const PlanOptions& options);

/// The environment that builds a variant: a base environment plus the class's toolkit. `config`
/// also if the toolkit is the container's and there is no container.
Result<env::Request> build_request(const matrix::Matrix& matrix, const matrix::Variant& variant,
                                   const matrix::Settings& settings, const PlanOptions& options);

/// The environment of a build, by the id of its class.
struct BuildRequest {
  std::string class_id;
  env::Request request;
};

/// The environments of the outline's builds, in its order, each with its own toolkit: builds that
/// share their packages have one entry each.
Result<std::vector<BuildRequest>> build_requests(const matrix::Matrix& matrix,
                                                 const matrix::Expansion& expansion,
                                                 const Outline& outline,
                                                 const PlanOptions& options);

/// The image to use instead of `image`: the replacement from the command line, else from the
/// matrix's `environment.mirrors`, else the image itself.
std::string mirrored(const std::string& image,
                     const std::vector<std::pair<std::string, std::string>>& mirrors,
                     const PlanOptions& options);

/// The content key of the image that a request uses; empty on the host, and if the facts have none.
std::string image_key(const PlanFacts& facts, const env::Request& request);

/// Everything that determines the key of a resolved environment, by name: "numpy", "conda:zlib",
/// "absent:nvidia-nccl-cu13" for packages omitted without a GPU, "python".
store::InstalledPackages environment_packages(const env::Resolution& resolution);

/// A package in which two environments differ: an element of the `map_differences` of their
/// packages. Two files of the same version differ in their digest.
using PackageDifference = MapDifference<store::InstalledPackage>;

/// "numpy: 1.26.4 -> 2.0.0", "numpy 2.0.0 is new", "numpy 1.26.4 is gone", "numpy 1.26.4: another
/// file".
std::string to_text(const PackageDifference& difference);

}  // namespace pinwheel::plan
