#pragma once
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "env/request.h"
#include "matrix/matrix.h"
#include "matrix/settings.h"
#include "matrix/variant.h"
#include "plan/make_plan.h"

namespace pinwheel::plan {

/// The environment that a variant is tested in, and made in as far as packages go. `config` when
/// the matrix lacks what the levels ask for.
Result<env::Request> base_request(const matrix::Matrix& matrix, const matrix::Variant& variant,
                                  const matrix::Settings& settings, const PlanOptions& options);

/// The environment that builds a variant: a base environment with the class's toolkit beside it.
/// `config` also where the toolkit is the container's and there is no container.
Result<env::Request> build_request(const matrix::Matrix& matrix, const matrix::Variant& variant,
                                   const matrix::Settings& settings, const PlanOptions& options);

/// The environment of a build, by the id of its class.
struct BuildRequest {
  std::string class_id;
  env::Request request;
};

/// The environments of the outline's builds, in its order, each with its own toolkit: two that
/// share their packages stand here twice.
Result<std::vector<BuildRequest>> build_requests(const matrix::Matrix& matrix,
                                                 const matrix::Expansion& expansion,
                                                 const Outline& outline,
                                                 const PlanOptions& options);

/// The image that stands in for one of that name: what the command line gives for the name, else
/// what the matrix's `environment.mirrors` does, else the image itself.
std::string mirrored(const std::string& image,
                     const std::vector<std::pair<std::string, std::string>>& mirrors,
                     const PlanOptions& options);

/// The content key of the image that a request works in; empty on the host, and where the facts
/// have none.
std::string image_key(const PlanFacts& facts, const env::Request& request);

/// The variant of an id; `internal` when there is none.
Result<const matrix::Variant*> find_variant(const matrix::Expansion& expansion,
                                            const std::string& id);

}  // namespace pinwheel::plan
