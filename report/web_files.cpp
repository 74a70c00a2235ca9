#include "report/web_files.h"

// Each file lies in the program as it is, between two names.
#define MORGANA_FILE(name, path)                                                                          \
  __asm__(".pushsection .rodata\n" #name "_begin:\n.incbin \"" path "\"\n" #name "_end:\n.popsection\n"); \
  extern "C" __attribute__((visibility("hidden"))) const char name##_begin, name##_end;
#define MORGANA_TEXT(name) \
  std::string_view(&name##_begin, static_cast<std::size_t>(&name##_end - &name##_begin))

MORGANA_FILE(morgana_web_page, MORGANA_WEB "/page.html")
MORGANA_FILE(morgana_web_style, MORGANA_WEB "/style.css")
MORGANA_FILE(morgana_web_run, MORGANA_WEB "/run.html")
MORGANA_FILE(morgana_web_charts, MORGANA_WEB "/charts.html")
MORGANA_FILE(morgana_web_texts, MORGANA_WEB "/texts.js")
MORGANA_FILE(morgana_web_axis, MORGANA_WEB "/axis.js")
MORGANA_FILE(morgana_web_timeline, MORGANA_WEB "/timeline.js")
MORGANA_FILE(morgana_web_lives, MORGANA_WEB "/lives.js")
MORGANA_FILE(morgana_web_links, MORGANA_WEB "/links.js")
MORGANA_FILE(morgana_web_execution, MORGANA_WEB "/execution.js")
MORGANA_FILE(morgana_web_run_script, MORGANA_WEB "/run.js")
MORGANA_FILE(morgana_web_figures, MORGANA_WEB "/figures.js")
MORGANA_FILE(morgana_web_charts_script, MORGANA_WEB "/charts.js")
#ifdef MORGANA_D3
MORGANA_FILE(morgana_web_d3, MORGANA_D3)
#endif

namespace morgana {

WebFiles web_files() {
  WebFiles files{MORGANA_TEXT(morgana_web_page),          MORGANA_TEXT(morgana_web_style),
                 MORGANA_TEXT(morgana_web_run),           MORGANA_TEXT(morgana_web_charts),
                 MORGANA_TEXT(morgana_web_texts),         MORGANA_TEXT(morgana_web_axis),
                 MORGANA_TEXT(morgana_web_timeline),      MORGANA_TEXT(morgana_web_lives),
                 MORGANA_TEXT(morgana_web_links),         MORGANA_TEXT(morgana_web_execution),
                 MORGANA_TEXT(morgana_web_run_script),    MORGANA_TEXT(morgana_web_figures),
                 MORGANA_TEXT(morgana_web_charts_script), {}};
#ifdef MORGANA_D3
  files.d3 = MORGANA_TEXT(morgana_web_d3);
#endif
  return files;
}

}  // namespace morgana
