#include "report/web_files.h"

// Each file lies in the program as it is, between two names.
#define MORGANA_FILE(name, path)                                                                          \
  __asm__(".pushsection .rodata\n" #name "_begin:\n.incbin \"" path "\"\n" #name "_end:\n.popsection\n"); \
  extern "C" __attribute__((visibility("hidden"))) const char name##_begin, name##_end;

MORGANA_FILE(morgana_web_page, MORGANA_WEB "/page.html")
MORGANA_FILE(morgana_web_style, MORGANA_WEB "/style.css")
MORGANA_FILE(morgana_web_script, MORGANA_WEB "/report.js")
#ifdef MORGANA_D3
MORGANA_FILE(morgana_web_d3, MORGANA_D3)
#endif

namespace morgana {

WebFiles web_files() {
  const auto text = [](const char& begin, const char& end) {
    return std::string_view(&begin, static_cast<std::size_t>(&end - &begin));
  };
  WebFiles files{text(morgana_web_page_begin, morgana_web_page_end),
                 text(morgana_web_style_begin, morgana_web_style_end),
                 text(morgana_web_script_begin, morgana_web_script_end),
                 {}};
#ifdef MORGANA_D3
  files.d3 = text(morgana_web_d3_begin, morgana_web_d3_end);
#endif
  return files;
}

}  // namespace morgana
