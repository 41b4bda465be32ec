#pragma once
#include <memory>
#include <string>

#include "ports/large_memory.h"

namespace pinwheel::testing {

/// Large memory that is plain memory.
class PlainMemories final : public ports::LargeMemories {
 public:
  Result<std::unique_ptr<ports::LargeMemory>> make(uint64_t bytes) override {
    ++made;
    return std::make_unique<Plain>(bytes);
  }

  int made = 0;

 private:
  class Plain final : public ports::LargeMemory {
   public:
    explicit Plain(uint64_t size) : bytes_(size, '\0') {}
    char* data() override { return bytes_.data(); }
    uint64_t size() const override { return bytes_.size(); }

   private:
    std::string bytes_;
  };
};

}  // namespace pinwheel::testing
