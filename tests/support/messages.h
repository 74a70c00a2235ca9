#pragma once

#include <initializer_list>
#include <string>

namespace morgana {

/// Expects that `text` is the next message of the running test in its folder's page of messages:
/// tests/messages/FOLDER.txt, section "## SUITE.TEST", a "- " before each message. `names` are what the
/// message has to name whatever its wording: codes, keys, files and lines, figures.
///
/// Before the comparison, FOLDER replaces the names of temporary folders, BUILD and SOURCE those of the build
/// and the source tree. A caller replaces what else varies (pids, times). The same message several times in a
/// row stands there once. A message that no longer comes fails the test at its end, if it has not failed
/// before.
///
/// With MORGANA_UPDATE_MESSAGES in the environment the page is written instead, unless the test fails;
/// `scripts/update-messages` runs the tests concerned and shows what has changed.
void expect_message(std::string text, std::initializer_list<std::string> names = {},
                    const char* file = __builtin_FILE(), int line = __builtin_LINE());
void expect_message(std::string text, const std::string& name, const char* file = __builtin_FILE(),
                    int line = __builtin_LINE());

/// Expects each of the messages, which have to name `names` between them.
template <typename Messages>
void expect_messages(const Messages& messages, std::initializer_list<std::string> names = {},
                     const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  std::string text;
  for (const std::string& message : messages) text += (text.empty() ? "" : "\n") + message;
  expect_message(text, names, file, line);
}

/// An input that is refused, and what the refusal has to name.
struct Refused {
  std::string input;
  std::string name = {};
};

/// Expects the message of each refusal, which names "INPUT: MESSAGE" if it fails.
template <typename Message>
void expect_refusals(const Message& message_of, std::initializer_list<Refused> inputs,
                     const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  for (const Refused& one : inputs) expect_message(message_of(one.input), one.name, file, line);
}

}  // namespace morgana
