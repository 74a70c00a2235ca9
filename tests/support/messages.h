#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

namespace morgana {

/// Expects that `text` is the next message of the running test in its folder's page of messages:
/// tests/messages/FOLDER.txt, section "## SUITE.TEST", a "- " before each message. `names` are what the
/// message has to name whatever its wording: codes, keys, files and lines, figures.
///
/// Before the comparison, FOLDER replaces the names of temporary folders, BUILD and SOURCE those of the build
/// and the source tree. A caller replaces what else varies (pids, times). The same message several times in a
/// row stands there once. A message that no longer comes fails the test at its end, if it has not failed
/// before, also where the test says none any more.
///
/// With MORGANA_UPDATE_MESSAGES=1 in the environment the page is written instead, unless the test fails;
/// `scripts/update-messages` runs the tests concerned and shows what has changed.
void expect_message(std::string text, std::initializer_list<std::string> names = {},
                    const char* file = __builtin_FILE(), int line = __builtin_LINE());
void expect_message(std::string text, const std::string& name, const char* file = __builtin_FILE(),
                    int line = __builtin_LINE());

/// Expects each of the messages, which have to name `names` between them.
void expect_messages(const std::vector<std::string>& messages, std::initializer_list<std::string> names = {},
                     const char* file = __builtin_FILE(), int line = __builtin_LINE());

/// An input that is refused, and what the refusal has to name.
struct Refused {
  std::string input;
  std::string name = {};
};

/// Expects the message of each refusal.
void expect_refusals(const std::function<std::string(const std::string&)>& message_of,
                     std::initializer_list<Refused> inputs, const char* file = __builtin_FILE(),
                     int line = __builtin_LINE());

}  // namespace morgana
