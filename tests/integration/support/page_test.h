#pragma once

#include <string>
#include <utility>

#include "tests/integration/support/morgana_test.h"

namespace morgana::test {

/// Pages in a real browser (Chromium, where it is installed): a script that is put behind the page's own does
/// what a user does, and leaves what it finds in the page.
class PageTest : public MorganaTest {
 protected:
  bool browser_runs() {
    return in_shell(
               "chromium --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage "
               "--user-data-dir=$PWD/empty --dump-dom about:blank | grep -q '<html>'")
               .exit_code == 0;
  }
  /// What the page draws.
  nlohmann::json data_of(const std::string& file) const {
    const std::string page = read(file);
    const std::size_t at = page.find('{', page.find("id=\"data\""));
    return nlohmann::json::parse(page.substr(at, page.find("</script>", at) - at));
  }
  /// Opens the page, runs the script in it. @return what it leaves in `found`; `wrong` in it are errors and
  /// what the page has tried to load
  nlohmann::json in_browser(const std::string& script, const std::string& file = "run.html") {
    std::string page = read(file);
    const std::string watch =
        "<script>window.wrong = [];"
        "window.addEventListener('error', event => wrong.push(event.message));"
        "document.addEventListener('securitypolicyviolation', event => "
        "wrong.push(event.blockedURI));</script>";
    page.insert(page.find("<style>"), watch);
    page.insert(
        page.rfind("</body>"),
        "<script>const found = {}; try {" + script +
            "} catch (error) { wrong.push(String(error)); } found.wrong = wrong;"
            "document.body.innerHTML = ''; document.body.dataset.found = JSON.stringify(found);</script>");
    write("tried.html", page);
    const FinishedProcess browser = in_shell(
        "chromium --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage "
        "--user-data-dir=$PWD/browser "
        "--window-size=1280,900 --virtual-time-budget=10000 --dump-dom file://$PWD/tried.html 2>browser.log");
    const std::string begin = "data-found=\"";
    const std::size_t at = browser.out.find(begin);
    EXPECT_NE(at, std::string::npos) << browser.out.substr(0, 2000) << read("browser.log");
    if (at == std::string::npos) return {};
    std::string text = browser.out.substr(at + begin.size());
    text.resize(text.find('"'));
    for (const auto& [escaped, plain] :
         {std::pair<std::string, std::string>{"&quot;", "\""}, {"&lt;", "<"}, {"&gt;", ">"}, {"&amp;", "&"}})
      for (std::size_t i = text.find(escaped); i != std::string::npos; i = text.find(escaped, i + 1))
        text.replace(i, escaped.size(), plain);
    return nlohmann::json::parse(text);
  }
};

}  // namespace morgana::test
