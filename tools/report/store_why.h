#pragma once
#include <string>

#include "plan/store_answer.h"

namespace pinwheel::report {

/// The answer of `store why`: a sentence, a line for each part of the key that differs, and the run
/// that made the nearest result. `place`: "local".
std::string store_why_text(const plan::StoreReply& reply, const std::string& place);

/// The same as an object, schema `pinwheel-store-why/1`.
std::string store_why_json(const plan::StoreReply& reply, const std::string& place);

}  // namespace pinwheel::report
