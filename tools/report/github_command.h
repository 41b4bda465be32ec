#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace pinwheel::report {

/// Escapes the data of a workflow command (`::add-mask::DATA`): `%`, CR and LF, in the form that
/// GitHub's runner decodes.
std::string github_data(std::string_view text);

enum class AnnotationLevel { notice, warning, error };

/// A message that GitHub shows next to a job, and at a line of the checkout.
struct Annotation {
  AnnotationLevel level = AnnotationLevel::error;
  std::string title = {};
  std::string message = {};  ///< may have several lines; contains no workflow commands
  std::optional<Location> at = {};
};

/// `::error file=FILE,line=12,col=5,title=TITLE::MESSAGE`, escaped, with its newline.
std::string github_annotation(const Annotation& annotation);

}  // namespace pinwheel::report
