#include "benchmarks/kernels/common/command_line.h"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "benchmarks/kernels/common/text.h"

namespace morgana::kernels {
namespace {

constexpr int most_tasks = 4096;

int number(const std::string& option, const std::string& text, int least, int most) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most) {
    throw Refusal(text_of("%s takes a whole number from %d to %d, not '%s'", option.c_str(), least, most,
                          text.c_str()));
  }
  return value;
}

std::size_t place_of_class(const std::string& name) {
  const auto found = std::find(class_names.begin(), class_names.end(), name);
  if (found == class_names.end()) throw Refusal("--class takes S, W, A or paper, not '" + name + "'");
  return static_cast<std::size_t>(found - class_names.begin());
}

bool one_of_two(const std::string& option, const std::string& text, const char* no, const char* yes) {
  if (text == yes) return true;
  if (text == no) return false;
  throw Refusal(option + " takes " + no + " or " + yes + ", not '" + text + "'");
}

/// Options with their values, in the order of the command line: "--class=S" and "--class S" alike.
class Words {
 public:
  explicit Words(const std::vector<std::string>& arguments) : words_(arguments) {}

  bool next() {
    if (at_ == words_.size()) return false;
    word_ = words_[at_++];
    const auto equals = word_.find('=');
    has_value_ = word_.starts_with("--") && equals != std::string::npos;
    if (has_value_) {
      value_ = word_.substr(equals + 1);
      word_.resize(equals);
    }
    return true;
  }
  const std::string& option() const { return word_; }
  std::string value() {
    if (!has_value_ && at_ == words_.size()) throw Refusal(word_ + " needs a value");
    return has_value_ ? value_ : words_[at_++];
  }
  void no_value() const {
    if (has_value_) throw Refusal(word_ + " takes no value");
  }

 private:
  const std::vector<std::string>& words_;
  std::size_t at_ = 0;
  std::string word_, value_;
  bool has_value_ = false;
};

bool read_pvm_option(Words& words, Request& request) {
  const std::string& option = words.option();
  if (option == "--tasks") {
    request.tasks = number(option, words.value(), 1, most_tasks);
  } else if (option == "--encoding") {
    request.raw = one_of_two(option, words.value(), "default", "raw");
  } else if (option == "--route") {
    request.direct = one_of_two(option, words.value(), "daemon", "direct");
  } else {
    return false;
  }
  return true;
}

}  // namespace

Request read_command_line(const Kernel& kernel, Face face, const std::vector<std::string>& arguments) {
  Request request;
  std::size_t chosen_class = 0;
  std::vector<std::pair<std::size_t, int>> chosen_sizes;
  for (Words words(arguments); words.next();) {
    const std::string& option = words.option();
    const auto size = std::find_if(kernel.sizes.begin(), kernel.sizes.end(),
                                   [&](const SizeOption& s) { return "--" + s.name == option; });
    if (option == "--help" || option == "-h") {
      words.no_value();
      request.help = true;
      return request;
    } else if (option == "--class") {
      chosen_class = place_of_class(words.value());
    } else if (option == "--traffic") {
      words.no_value();
      request.traffic = true;
    } else if (size != kernel.sizes.end()) {
      chosen_sizes.emplace_back(size - kernel.sizes.begin(),
                                number(option, words.value(), size->least, size->most));
    } else if (face == Face::mpi && option == "--tasks") {
      throw Refusal(
          "--tasks is for PVM; with MPI the number of tasks is given to mpiexec or morgana run: -n 4");
    } else if (face == Face::mpi || !read_pvm_option(words, request)) {
      throw Refusal("no option '" + option + "'; --help shows all");
    }
  }
  request.sizes = kernel.sizes_of_class(chosen_class);
  for (const auto& [place, value] : chosen_sizes) request.sizes[place] = value;
  request.class_name = class_names[chosen_class];
  if (request.sizes != kernel.sizes_of_class(chosen_class)) request.class_name = "custom";
  if (kernel.check != nullptr) kernel.check(request.sizes, face == Face::pvm ? request.tasks : 1);
  return request;
}

std::string help(const Kernel& kernel, Face face) {
  const bool pvm = face == Face::pvm;
  const std::string program = kernel.name + (pvm ? ".pvm" : ".mpi");
  std::string text = kernel.title + "\n\n" + kernel.method +
                     "\n\nUsage: " + (pvm ? "" : "mpiexec.mpich -n 4 ") + program + " [options]\n\n";
  const auto line = [&](const std::string& option, const std::string& meaning) {
    text += text_of("  %-22s %s\n", option.c_str(), meaning.c_str());
  };
  line("--class S|W|A|paper", "the problem's size (default S)");
  for (const SizeOption& size : kernel.sizes) {
    line("--" + size.name + " N",
         text_of("%s; %d, %d, %d, %d by class", size.meaning.c_str(), size.of_class[0], size.of_class[1],
                 size.of_class[2], size.of_class[3]));
  }
  if (pvm) {
    line("--tasks N", "workers that the master spawns (default 4)");
    line("--encoding default|raw", "how PVM packs: XDR or as in memory (default: default)");
    line("--route daemon|direct", "how PVM's messages travel (default: daemon)");
  }
  line("--traffic", "also print how many messages of which length were sent");
  line("--help", "this text");
  return text + "\nExit code: 0 verified, 1 not verified, 2 the request was refused.\n";
}

}  // namespace morgana::kernels
