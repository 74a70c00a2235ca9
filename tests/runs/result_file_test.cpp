#include "runs/result_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "emulator/core/error.h"
#include "tests/support/messages.h"
#include "tests/support/temporary_folder.h"

namespace morgana {
namespace {

class Results : public ::testing::Test {
 protected:
  std::string content() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void write(const std::string& text) const { std::ofstream(path_, std::ios::binary) << text; }
  std::string error_of_opening() const {
    try {
      ResultFile(path_, heading, 2);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

  const CsvRow heading{"what", "seed", "result"};
  testing::TemporaryFolder folder_;
  const std::string path_ = (folder_ / "results.csv").string();
};

TEST_F(Results, AreThereAgainForTheNextOne) {
  {
    ResultFile file(path_, heading, 2);
    EXPECT_EQ(file.find({"a", "1"}), nullptr);
    file.append({"a", "1", "0.5"});
    file.append({"a,b", "2", "0.25"});
  }
  ResultFile file(path_, heading, 2);
  ASSERT_NE(file.find({"a,b", "2"}), nullptr);
  EXPECT_EQ(file.find({"a,b", "2"})->back(), "0.25");
  EXPECT_EQ(file.find({"a", "2"}), nullptr);
}

TEST_F(Results, AreInTheFileAsSoonAsTheyAreAppended) {
  ResultFile file(path_, heading, 2);
  file.append({"a", "1", "x"});
  EXPECT_EQ(content(), "what,seed,result\na,1,x\n");
}

TEST_F(Results, SurviveACutAnywhere) {
  const std::string whole = "what,seed,result\na,1,x\nb,2,y\n";
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    write(whole.substr(0, length));
    {
      ResultFile file(path_, heading, 2);
      if (file.find({"a", "1"}) == nullptr) file.append({"a", "1", "x"});
      if (file.find({"b", "2"}) == nullptr) file.append({"b", "2", "y"});
    }
    EXPECT_EQ(content(), whole) << "cut after " << length;
  }
}

TEST_F(Results, ComeInTheOrderAskedForAndKeepOthers) {
  ResultFile file(path_, heading, 2);
  file.append({"b", "1", "x"});
  file.append({"old", "1", "z"});
  file.append({"a", "1", "y"});
  file.arrange({{"a", "1"}, {"b", "1"}, {"c", "1"}});
  EXPECT_EQ(content(), "what,seed,result\nold,1,z\na,1,y\nb,1,x\n");
}

TEST_F(Results, AreNotMixedWithSomethingElse) {
  write("alpha,beta\n1,2\n");
  expect_message(error_of_opening(), "results.csv");
  write("precious notes without end");
  expect_message(error_of_opening(), "results.csv");
  EXPECT_EQ(content(), "precious notes without end");
  write("what,seed,result\na,1\n");
  expect_message(error_of_opening(), {"results.csv", "row 1", "2 cells", "of 3"});
}

TEST_F(Results, BelongToOneSweepAtATime) {
  const ResultFile first(path_, heading, 2);
  expect_message(error_of_opening(), "results.csv");
}

}  // namespace
}  // namespace morgana
