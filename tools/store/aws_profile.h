#pragma once
#include <map>
#include <string>
#include <string_view>

namespace pinwheel::store {

/// The settings of one profile. Nested ones have the name of their block before a dot:
/// "s3.addressing_style".
using AwsProfile = std::map<std::string, std::string>;

/// The two files of the AWS command line.
enum class AwsFile {
  config,      ///< ~/.aws/config: sections are called "profile NAME", or "default"
  credentials  ///< ~/.aws/credentials: sections are called "NAME"
};

/// The settings of a profile in the text of a file; empty if there is none of that name.
AwsProfile parse_aws_profile(std::string_view text, AwsFile file, std::string_view name);

}  // namespace pinwheel::store
