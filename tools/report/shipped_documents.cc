#include "report/shipped_documents.h"

// The assembler copies the files, whatever their size.
#define PINWHEEL_DOCUMENT(symbol, name, path)                                  \
  asm(".pushsection .rodata\n"                                                 \
      ".global " #symbol                                                       \
      "\n"                                                                     \
      ".global " #symbol                                                       \
      "_end\n"                                                                 \
      ".hidden " #symbol                                                       \
      "\n"                                                                     \
      ".hidden " #symbol "_end\n" #symbol                                      \
      ":\n"                                                                    \
      ".incbin \"" path "\"\n" #symbol                                         \
      "_end:\n"                                                                \
      ".byte 0\n"                                                              \
      ".popsection\n");                                                        \
  extern "C" {                                                                 \
  extern const char symbol[]; /* NOLINT(bugprone-macro-parentheses): a name */ \
  extern const char symbol##_end[];                                            \
  }

// A line for each page, which CMake writes (tools/cmake/documents.cmake).
#include PINWHEEL_DOCUMENTS
#undef PINWHEEL_DOCUMENT

namespace pinwheel::report {
namespace {

std::string_view between(const char* begin, const char* end) {
  return {begin, static_cast<size_t>(end - begin)};
}

}  // namespace

std::vector<Document> shipped_documents() {
#define PINWHEEL_DOCUMENT(symbol, name, path) {name, between(symbol, symbol##_end)},
  return {
#include PINWHEEL_DOCUMENTS
  };
#undef PINWHEEL_DOCUMENT
}

}  // namespace pinwheel::report
