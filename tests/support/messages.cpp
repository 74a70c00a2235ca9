#include "tests/support/messages.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

namespace morgana {
namespace {

namespace fs = std::filesystem;
using Messages = std::vector<std::string>;
using Page = std::map<std::string, Messages>;  ///< by test

const fs::path& source_tree() {
  static const fs::path tree = fs::path(__FILE__).parent_path().parent_path().parent_path();
  return tree;
}

fs::path page_of(const ::testing::TestInfo& test) {
  const fs::path folder = fs::path(test.file()).parent_path().lexically_relative(source_tree() / "tests");
  return source_tree() / "tests" / "messages" / (folder.string() + ".txt");
}

std::string title_of(const ::testing::TestInfo& test) {
  return std::string(test.test_suite_name()) + "." + test.name();
}

Page read(const fs::path& file) {
  Page page;
  std::ifstream in(file);
  Messages* messages = nullptr;
  std::string blank;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("## ")) {
      messages = &page[line.substr(3)];
    } else if (messages != nullptr && line.starts_with("- ")) {
      messages->push_back(line.substr(2));
    } else if (messages != nullptr && !messages->empty() && line.starts_with("  ")) {
      messages->back() += blank + "\n" + line.substr(2);
    } else if (line.empty()) {
      blank += "\n";
      continue;
    }
    blank.clear();
  }
  return page;
}

std::string indented(const std::string& text) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    result += text[at];
    if (text[at] == '\n' && at + 1 < text.size() && text[at + 1] != '\n') result += "  ";
  }
  return result;
}

void write(const fs::path& file, const Page& page) {
  fs::create_directories(file.parent_path());
  const fs::path written = file.string() + ".written";
  std::ofstream out(written);
  out << "Messages that the tests of "
      << file.lexically_relative(source_tree() / "tests/messages").replace_extension("").string()
      << " expect, by test. Written by scripts/update-messages; CONTRIBUTING.md says how they are "
         "reviewed.\n";
  for (const auto& [test, messages] : page) {
    if (messages.empty()) continue;
    out << "\n## " << test << "\n";
    for (const std::string& message : messages) out << "- " << indented(message) << "\n";
  }
  out.close();
  if (!out) throw std::runtime_error("can't write " + written.string());
  fs::rename(written, file);
}

/// Tests that run at once update a page one after another.
void update(const fs::path& file, const std::string& test, const Messages& messages) {
  const int lock = open((source_tree() / "tests" / "support").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock < 0 || flock(lock, LOCK_EX) != 0) {
    ADD_FAILURE() << "the pages of messages can't be locked";
  } else if (Page page = read(file); page[test] != messages) {
    page[test] = messages;
    write(file, page);
  }
  if (lock >= 0) close(lock);
}

void replace(std::string& text, const std::string& what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
}

/// Replaces the names of temporary folders: /tmp/morgana-test.a1B2c3.
void replace_temporary_folders(std::string& text) {
  static const std::string within = (fs::temp_directory_path() / "").string();
  static const std::regex name(R"((?:morgana-[a-z]+|standstill)[-.][A-Za-z0-9]{6}\b)");
  for (std::size_t at = 0; (at = text.find(within, at)) != std::string::npos;) {
    std::smatch found;
    const auto begin = text.cbegin() + static_cast<std::ptrdiff_t>(at + within.size());
    if (std::regex_search(begin, text.cend(), found, name, std::regex_constants::match_continuous))
      text.replace(at, within.size() + static_cast<std::size_t>(found.length()), "FOLDER");
    else
      at += within.size();
  }
}

/// The message as it is compared.
std::string without_what_varies(const std::string& text) {
  static const std::string build = fs::read_symlink("/proc/self/exe").parent_path().parent_path().string();
  std::string result;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) >= 0x20 || c == '\n') {
      result += c;
    } else {
      constexpr std::string_view digits = "0123456789abcdef";
      result += std::string("\\x") + digits[static_cast<std::size_t>(c) / 16] +
                digits[static_cast<std::size_t>(c) % 16];
    }
  }
  replace(result, build, "BUILD");
  replace(result, source_tree().string(), "SOURCE");
  replace_temporary_folders(result);
  std::string lines;  // without blanks at the ends of lines
  for (const char c : result) {
    if (c == '\n') lines.erase(lines.find_last_not_of(' ') + 1);
    lines += c;
  }
  lines.erase(lines.find_last_not_of(" \n") + 1);
  return lines;
}

/// What the running test has said.
struct Running {
  std::string test;
  fs::path page;
  Messages expected;
  Messages seen;
  bool differs = false;
};

bool updates() {
  static const char* const set = std::getenv("MORGANA_UPDATE_MESSAGES");
  return set != nullptr && std::string_view(set) == "1";
}

Running& running() {
  static Running now;
  return now;
}

Running begin(const ::testing::TestInfo& test) {
  static std::map<fs::path, Page> pages;
  Running now{title_of(test), page_of(test), {}, {}, false};
  const auto [page, is_new] = pages.try_emplace(now.page);
  if (is_new) page->second = read(now.page);
  if (const auto known = page->second.find(now.test); known != page->second.end())
    now.expected = known->second;
  return now;
}

std::string how_to_update(const Running& now) {
  return "If the new wording is right: scripts/update-messages " + now.test + "\n";
}

/// Each test says all that its page has of it, also one that says nothing.
class EachTest : public ::testing::EmptyTestEventListener {
  void OnTestStart(const ::testing::TestInfo& test) override { running() = begin(test); }
  void OnTestEnd(const ::testing::TestInfo& test) override {
    Running now;
    std::swap(now, running());
    if (!test.result()->Passed()) return;
    if (updates() && now.seen != now.expected)
      update(now.page, now.test, now.seen);
    else if (!updates() && now.seen.size() < now.expected.size())
      ADD_FAILURE_AT(test.file(), test.line())
          << now.page.string() << " has a message that no longer comes:\n  " << now.expected[now.seen.size()]
          << "\n"
          << how_to_update(now);
  }
};

[[maybe_unused]] const bool listens = [] {
  ::testing::UnitTest::GetInstance()->listeners().Append(new EachTest);
  return true;
}();

/// The first message that differs is reported: those behind it may only have moved.
void compare(Running& now, const std::string& text, const char* file, int line) {
  const std::size_t at = now.seen.size() - 1;
  if (at < now.expected.size() && now.expected[at] == text) return;
  if (std::exchange(now.differs, true)) return;
  ADD_FAILURE_AT(file, line) << "the message is\n  " << text << "\n"
                             << now.page.string()
                             << (at < now.expected.size() ? " has\n  " + now.expected[at]
                                                          : " has no further one")
                             << "\n"
                             << how_to_update(now);
}

void expect(std::string text, const std::vector<std::string>& names, const char* file, int line) {
  Running& now = running();
  text = without_what_varies(text);
  for (const std::string& name : names)
    if (text.find(name) == std::string::npos)
      ADD_FAILURE_AT(file, line) << "the message does not name \"" << name << "\":\n  " << text;
  if (text.empty()) ADD_FAILURE_AT(file, line) << "there is no message";
  if (!now.seen.empty() && now.seen.back() == text) return;
  now.seen.push_back(text);
  if (!updates()) compare(now, text, file, line);
}

}  // namespace

void expect_message(std::string text, std::initializer_list<std::string> names, const char* file, int line) {
  expect(std::move(text), names, file, line);
}

void expect_message(std::string text, const std::string& name, const char* file, int line) {
  expect(std::move(text), {name}, file, line);
}

void expect_messages(const std::vector<std::string>& messages, std::initializer_list<std::string> names,
                     const char* file, int line) {
  std::string all;
  for (const std::string& message : messages) {
    expect(message, {}, file, line);
    all += message + "\n";
  }
  if (messages.empty()) ADD_FAILURE_AT(file, line) << "there is no message";
  for (const std::string& name : names)
    if (all.find(name) == std::string::npos)
      ADD_FAILURE_AT(file, line) << "no message names \"" << name << "\":\n" << all;
}

void expect_refusals(const std::function<std::string(const std::string&)>& message_of,
                     std::initializer_list<Refused> inputs, const char* file, int line) {
  for (const Refused& one : inputs) {
    SCOPED_TRACE(one.input);
    expect_message(message_of(one.input), one.name, file, line);
  }
}

}  // namespace morgana
