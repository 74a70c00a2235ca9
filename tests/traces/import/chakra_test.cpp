#include "traces/import/chakra.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "emulator/core/error.h"
#include "emulator/core/random.h"
#include "tests/support/chakra_traces.h"
#include "tests/support/effort.h"
#include "tests/support/messages.h"
#include "tests/support/temporary_folder.h"

namespace morgana {
namespace {
using testing::chakra_collective;
using testing::chakra_compute;
using testing::chakra_file;
using testing::chakra_receive;
using testing::chakra_send;
using testing::ChakraNode;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using testing::TemporaryFolder;

class Chakra : public ::testing::Test {
 protected:
  using Ranks = std::vector<std::vector<ChakraNode>>;

  std::string write(const Ranks& ranks) const {
    for (std::size_t i = 0; i < 8; ++i) std::filesystem::remove(folder_ / ("t." + std::to_string(i) + ".et"));
    for (std::size_t i = 0; i < ranks.size(); ++i)
      folder_.write("t." + std::to_string(i) + ".et", chakra_file(ranks[i]));
    return (folder_ / "t").string();
  }
  std::shared_ptr<const chakra::Trace> read(const Ranks& ranks) const { return chakra::read(write(ranks)); }
  std::string refusal(const Ranks& ranks) const {
    write(ranks);
    return refusal_of("t");
  }
  /// Behind the folder's name.
  std::string refusal_of(const std::string& name) const {
    try {
      chakra::read(folder_ / name);
    } catch (const Error& error) {
      const std::string text = error.what();
      const std::string folder = folder_.path().string();
      EXPECT_EQ(text.find(folder), 0u) << text;
      return text.substr(std::min(text.size(), folder.size() + 1));
    }
    return "it was read";
  }

  TemporaryFolder folder_;
};

std::vector<std::uint64_t> ids_of(const chakra::RankTrace& rank) {
  std::vector<std::uint64_t> ids;
  for (const chakra::Node& node : rank.nodes) ids.push_back(node.id);
  return ids;
}

TEST_F(Chakra, NodesHaveTheirTypesAndAttributes) {
  const auto trace = read(
      {{ChakraNode(7, ChakraNode::metadata), chakra_compute(8, 12).flag("is_cpu_op", true).with("tid", 3),
        ChakraNode(9, ChakraNode::memory_load).with("tensor_size", 500, 13).with("stream", 5).with("tid", 4),
        ChakraNode(10, ChakraNode::memory_store).with("tensor_size", 600),
        ChakraNode(11, ChakraNode::compute).with("num_ops", 77).with("tensor_size", 88),
        chakra_send(12, 1, 99, 4).after({8}), chakra_collective(13, 5, 1000).with("comm_src", 1, 7)},
       {chakra_receive(1, 0, 99, 4), chakra_collective(13, 5, 1000).with("comm_src", 1, 7)}});
  ASSERT_EQ(trace->ranks.size(), 2u);
  const std::vector<chakra::Node>& nodes = trace->ranks[0].nodes;
  ASSERT_THAT(ids_of(trace->ranks[0]), ElementsAre(7, 8, 9, 10, 11, 12, 13));
  EXPECT_EQ(nodes[0].type, chakra::NodeType::metadata);
  EXPECT_EQ(nodes[1].microseconds, 12);
  EXPECT_TRUE(nodes[1].on_cpu);
  EXPECT_EQ(nodes[1].stream, 3);
  EXPECT_EQ(nodes[2].type, chakra::NodeType::memory_load);
  EXPECT_EQ(nodes[2].bytes, 500);
  EXPECT_EQ(nodes[2].stream, 5);
  EXPECT_EQ(nodes[3].bytes, 600);
  EXPECT_EQ(nodes[3].stream, chakra::no_stream);
  EXPECT_EQ(nodes[4].operations, 77);
  EXPECT_EQ(nodes[4].bytes, 88);
  EXPECT_EQ(nodes[5].peer, 1);
  EXPECT_EQ(nodes[5].bytes, 99);
  EXPECT_EQ(nodes[5].tag, 4u);
  EXPECT_THAT(trace->ranks[0].needs_of(nodes[5]), ElementsAre(1));
  EXPECT_EQ(nodes[6].collective, chakra::CollectiveType::broadcast);
  ASSERT_EQ(trace->collectives[chakra::all_ranks].size(), 1u);
  EXPECT_EQ(trace->collectives[chakra::all_ranks][0].root, 1);
  EXPECT_THAT(trace->notices, IsEmpty());
}

// Numbers may be written one by one, as any kind of integer, or as a double.
TEST_F(Chakra, NumbersAreReadInAllTheirForms) {
  std::string node = testing::number_field(1, 5) + testing::number_field(3, 5);
  node += testing::number_field(5, 2);
  node += testing::number_field(5, 3);
  const auto attribute = [&](const std::string& name, const std::string& value) {
    std::string content = testing::bytes_field(1, name);
    node += testing::bytes_field(10, content += value);
  };
  attribute("comm_dst", testing::number_field(17, 2));  // sint64: 1
  attribute("comm_size",
            testing::varint(3 << 3 | 1) + std::string("\0\0\0\0\0\0\x59\x40", 8));   // double: 100
  attribute("comm_tag", testing::varint(19 << 3 | 5) + std::string("\6\0\0\0", 4));  // fixed32: 6
  folder_.write("t.0.et", chakra_file({chakra_compute(2, 1), chakra_compute(3, 1)}) + testing::framed(node));
  folder_.write("t.1.et", chakra_file({chakra_receive(1, 0, 100, 6)}));
  const auto trace = chakra::read(folder_ / "t");
  const chakra::Node& send = trace->ranks[0].nodes[2];
  EXPECT_EQ(send.peer, 1);
  EXPECT_EQ(send.bytes, 100);
  EXPECT_EQ(send.tag, 6u);
  EXPECT_THAT(trace->ranks[0].needs_of(send), ElementsAre(0, 1));
}

TEST_F(Chakra, OrderIsThatOfTheGraphThenOfIds) {
  const auto trace = read({{chakra_compute(4, 1), chakra_compute(1, 1).after({9}), chakra_compute(9, 1),
                            chakra_compute(3, 1).ctrl({4})}});
  EXPECT_THAT(ids_of(trace->ranks[0]), ElementsAre(4, 3, 9, 1));
}

TEST_F(Chakra, AllNamesStandForTheSameFiles) {
  const std::string prefix = write({{chakra_send(1, 1, 8)}, {chakra_receive(1, 0, 8)}});
  for (const std::string& name :
       {prefix, prefix + ".%d.et", prefix + ".0.et", prefix + ".1.et", folder_.path().string()}) {
    EXPECT_TRUE(chakra::is_chakra(name)) << name;
    EXPECT_EQ(chakra::read(name)->ranks.size(), 2u) << name;
  }
  folder_.write("one.et", chakra_file({chakra_compute(1, 5)}));
  EXPECT_EQ(chakra::read(folder_ / "one.et")->ranks.size(), 1u);
  EXPECT_FALSE(chakra::is_chakra(folder_ / "other"));
  EXPECT_FALSE(chakra::is_chakra(folder_ / "t.0"));
  folder_.write("x.goal", "num_ranks 1");
  EXPECT_FALSE(chakra::is_chakra(folder_ / "x.goal"));
}

TEST_F(Chakra, GzippedFilesAreTheSame) {
  const std::string plain = chakra_file({chakra_compute(1, 5), chakra_compute(2, 6).after({1})});
  const std::string file = (folder_ / "z.0.et.gz").string();
  gzFile out = gzopen(file.c_str(), "wb");
  ASSERT_EQ(gzwrite(out, plain.data(), static_cast<unsigned>(plain.size())), static_cast<int>(plain.size()));
  gzclose(out);
  EXPECT_EQ(chakra::read(folder_ / "z")->ranks[0].nodes.size(), 2u);
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 9);
  expect_message(refusal_of("z"), "z.0.et.gz");
}

TEST_F(Chakra, GroupsComeFromAFileOrFromMetadata) {
  folder_.write("t.json", R"({"dp": [0, 2], "tp": [0, 1]})");
  const Ranks ranks{
      {chakra_collective(1, 0, 8).text("pg_name", "dp"), chakra_collective(2, 0, 8).with("pg_name", 3)},
      {chakra_collective(2, 0, 8).with("pg_name", 3)},
      {chakra_collective(1, 0, 8).text("pg_name", "dp"), chakra_collective(2, 0, 8).with("pg_name", 3)}};
  Ranks with_metadata = ranks;
  for (auto& nodes : with_metadata)
    nodes.insert(nodes.begin(),
                 ChakraNode(99, ChakraNode::metadata)
                     .values(R"(['[{\"pg_name\": \"3\", \"ranks\": [], \"group_size\": 3}]'])"));
  const auto trace = read(with_metadata);
  ASSERT_EQ(trace->groups.size(), 3u);
  EXPECT_THAT(trace->groups[1].members, ElementsAre(0, 2));
  EXPECT_THAT(trace->groups[2].members, ElementsAre(0, 1, 2));
  expect_message(refusal(ranks), {"t.0.et: node 2 (\"n2\")", "\"3\""});
  expect_message(refusal({{}, {chakra_collective(1, 0, 8).text("pg_name", "dp")}, {}}),
                 {"t.1.et: node 1 (\"n1\")", "\"dp\"", "rank 1"});
  expect_message(refusal({{chakra_collective(1, 0, 8).text("pg_name", "dp")}, {}, {}}),
                 {"t.0.et: node 1 (\"n1\")", "rank 2 (t.2.et)"});
  folder_.write("t.json", R"({"dp": [0, 7]})");
  expect_message(refusal({{chakra_collective(1, 0, 8).text("pg_name", "dp")}, {}, {}}),
                 {"t.0.et: node 1 (\"n1\")", "\"dp\"", "rank 7", "3 ranks"});
  folder_.write("t.json", R"({"dp": [0, "x"]})");
  expect_message(refusal(ranks), {"t.json", "\"dp\""});
}

TEST_F(Chakra, WhatCanNeverStartOrEndIsNamed) {
  expect_message(refusal({{chakra_compute(1, 1).after({2}), chakra_compute(2, 1).after({1})}}),
                 "t.0.et: node 1 (\"n1\")");
  expect_message(refusal({{chakra_compute(3, 1).after({3})}}), "t.0.et: node 3 (\"n3\")");
  expect_message(refusal({{chakra_compute(1, 1).after({5})}}),
                 {"t.0.et: node 1 (\"n1\")", "data_deps", "node 5"});
  expect_message(refusal({{chakra_compute(1, 1), chakra_compute(1, 1)}}), "t.0.et: node 1 (\"n1\")");
  expect_message(refusal({{chakra_send(1, 4, 8)}}), {"rank 4", "rank 0"});
  expect_message(refusal({{chakra_send(1, 1, 8)}, {}}), {"t.0.et: node 1", "t.1.et", "COMM_RECV"});
  expect_message(
      refusal({{chakra_send(1, 1, 8, 2)}, {chakra_receive(5, 0, 8, 2), chakra_receive(6, 0, 8, 2)}}),
      {"t.1.et: node 6", "2 messages", "t.0.et", "COMM_SEND"});
  expect_message(refusal({{chakra_collective(1, 0, 8)}, {chakra_collective(1, 0, 9)}}),
                 {"t.1.et: node 1", "ALL_REDUCE of 9 B"});
  expect_message(
      refusal({{chakra_collective(1, 0, 8), chakra_collective(2, 0, 8)}, {chakra_collective(1, 0, 8)}}),
      {"t.0.et: node 2", "2 collectives", "rank 1 (t.1.et) 1"});
}

TEST_F(Chakra, OneRankHasNoCollectivesOfAllRanks) {
  expect_message(refusal({{chakra_collective(435, 5, 8)}}),
                 {"t.0.et: node 435 (\"n435\")", "BROADCAST", "rank 0"});
}

TEST_F(Chakra, MissingRanksAndMixedTracesAreNamed) {
  folder_.write("m.0.et", chakra_file({}));
  folder_.write("m.2.et", chakra_file({}));
  expect_message(refusal_of("m"), "m.1.et");
  folder_.write("n.0.et", chakra_file({}));
  EXPECT_THROW(chakra::read(folder_.path()), Error);
  folder_.write("n.0.et.gz", chakra_file({}));
  expect_message(refusal_of("n"), "rank 0");
}

// PyTorch's ctrl_deps are the call stack: parents, which last as long as their children.
TEST_F(Chakra, CallStacksDoNotCount) {
  const auto trace = read({{chakra_compute(1, 5).after({2}), chakra_compute(2, 5).ctrl({1})}});
  EXPECT_THAT(ids_of(trace->ranks[0]), ElementsAre(2, 1));
  expect_messages(trace->notices, {"t.0.et", "node 1", "\"n1\""});
  EXPECT_THAT(read({{chakra_compute(1, 5).ctrl({7, 8})}})->notices,
              ElementsAre(StartsWith("2 ctrl_deps are left out")));
}

TEST_F(Chakra, BadValuesAreRefusedWithTheirNode) {
  expect_message(refusal({{ChakraNode(3, 0)}}), {"t.0.et: node 3 (\"n3\")", "type is 0"});
  expect_message(refusal({{ChakraNode(3, 8)}}), {"t.0.et: node 3 (\"n3\")", "type is 8"});
  expect_message(refusal({{chakra_send(3, 0, -1)}}), {"t.0.et: node 3 (\"n3\")", "comm_size is -1"});
  expect_message(refusal({{chakra_send(3, -2, 1)}}), {"t.0.et: node 3 (\"n3\")", "comm_dst is -2"});
  expect_message(refusal({{chakra_collective(3, 10, 1)}}), {"t.0.et: node 3 (\"n3\")", "comm_type is 10"});
  expect_message(refusal({{ChakraNode(3, ChakraNode::collective)}}),
                 {"t.0.et: node 3 (\"n3\")", "comm_type"});
  expect_message(refusal({{chakra_compute(3, ~std::uint64_t{0})}}),
                 {"t.0.et: node 3 (\"n3\")", "duration_micros"});
  folder_.write("e.0.et", "");
  expect_message(refusal_of("e"), "e.0.et");
  folder_.write("e.0.et", "\x7f");
  expect_message(refusal_of("e"), {"e.0.et", "0 of its 127 bytes"});
}

// A collective's launch on the CPU, which says nothing of what is sent.
TEST_F(Chakra, LaunchesAreComputations) {
  const auto trace = read({{ChakraNode(1, ChakraNode::collective).flag("is_cpu_op", true).lasts(85)}});
  EXPECT_EQ(trace->ranks[0].nodes[0].type, chakra::NodeType::compute);
  EXPECT_EQ(trace->ranks[0].nodes[0].microseconds, 85);
}

TEST_F(Chakra, DamagedFilesAreReadOrRefused) {
  write({{chakra_compute(1, 7).after({2}), chakra_compute(2, 7).flag("is_cpu_op", true),
          chakra_send(3, 1, 900, 4).ctrl({1}), chakra_collective(4, 0, 4096).after({3})},
         {chakra_receive(3, 0, 900, 4), chakra_collective(4, 0, 4096).after({3})}});
  const std::string good =
      chakra_file({chakra_compute(1, 7).after({2}), chakra_compute(2, 7).flag("is_cpu_op", true),
                   chakra_send(3, 1, 900, 4).ctrl({1}), chakra_collective(4, 0, 4096).after({3})});
  RandomStream random(5, "damage");
  const std::uint64_t cases = random_cases(200);
  std::uint64_t refused = 0;
  for (std::uint64_t i = 0; i < cases; ++i) {
    std::string damaged = good;
    for (std::uint64_t changes = 1 + random.below(4); changes > 0 && !damaged.empty(); --changes) {
      const std::size_t at = random.below(damaged.size());
      switch (random.below(4)) {
        case 0:
          damaged[at] = static_cast<char>(random.below(256));
          break;
        case 1:
          damaged.erase(at, 1 + random.below(12));
          break;
        case 2:
          damaged.resize(at);
          break;
        default:
          damaged.insert(at, damaged.substr(at, 1 + random.below(12)));
      }
    }
    folder_.write("t.0.et", damaged);
    try {
      const auto trace = chakra::read(folder_ / "t");
      EXPECT_LT(trace->ranks[0].nodes.size(), 100u);
    } catch (const Error& error) {
      ++refused;
      EXPECT_THAT(error.what(), ::testing::HasSubstr("t."));
    }
  }
  EXPECT_GT(refused, cases / 2);
}

}  // namespace
}  // namespace morgana
