#include "report/shipped_documents.h"

// The assembler copies the files, whatever their size.
#define PINWHEEL_DOCUMENT(symbol, path)                                        \
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

PINWHEEL_DOCUMENT(pinwheel_matrix_page, PINWHEEL_MATRIX_PAGE)
PINWHEEL_DOCUMENT(pinwheel_cookbook, PINWHEEL_COOKBOOK)
PINWHEEL_DOCUMENT(pinwheel_cli_page, PINWHEEL_CLI_PAGE)

namespace pinwheel::report {
namespace {

std::string_view between(const char* begin, const char* end) {
  return {begin, static_cast<size_t>(end - begin)};
}

}  // namespace

std::vector<Document> shipped_documents() {
  return {{"matrix", between(pinwheel_matrix_page, pinwheel_matrix_page_end)},
          {"cookbook", between(pinwheel_cookbook, pinwheel_cookbook_end)},
          {"cli", between(pinwheel_cli_page, pinwheel_cli_page_end)}};
}

}  // namespace pinwheel::report
