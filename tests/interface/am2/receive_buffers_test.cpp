#include "emulator/interface/am2/receive_buffers.h"

#include <gtest/gtest.h>

namespace morgana {
namespace {

using namespace literals;

/// Four buffers of 1010 bytes: a header of 10 and the largest payload of 1000.
class Am2ReceiveBuffers : public testing::Test, private am2::ReceiveLink {
 protected:
  Am2ReceiveBuffers() {
    parameters_.header = 10_B;
    parameters_.largest_payload = 1000_B;
    parameters_.control_size = 4_B;
  }
  am2::Parameters parameters_;
  am2::ReceiveBuffers buffers_{parameters_, static_cast<am2::ReceiveLink&>(*this)};
  bool stopped_ = false;
  int changes_ = 0;

 private:
  void stop_link(bool stop) override {
    stopped_ = stop;
    ++changes_;
  }
};

TEST_F(Am2ReceiveBuffers, HoldALongerMessageEach) {
  EXPECT_EQ(buffers_.size_of_data(33_B), 1010_B);
  EXPECT_EQ(buffers_.size_of_data(1000_B), 1010_B);
  for (int i = 0; i < 3; ++i) buffers_.take(1010_B);
  EXPECT_FALSE(stopped_);
  buffers_.take(1010_B);
  EXPECT_TRUE(stopped_);
  buffers_.give_back(1010_B);
  EXPECT_FALSE(stopped_);
  EXPECT_EQ(changes_, 2);
}

// 116 short messages of 26 bytes are 3016 of the 3030 in three buffers, and one more is into the last buffer.
// So are four ACKs of 4 bytes, but not three.
TEST_F(Am2ReceiveBuffers, HoldShortMessagesSideBySide) {
  const Bytes small = buffers_.size_of_data(16_B);
  EXPECT_EQ(small, 26_B);
  for (int i = 0; i < 116; ++i) buffers_.take(small);
  EXPECT_FALSE(stopped_);
  buffers_.take(small);
  EXPECT_TRUE(stopped_);
  buffers_.give_back(small);
  EXPECT_FALSE(stopped_);
  for (int i = 0; i < 3; ++i) buffers_.take(buffers_.size_of_control());
  EXPECT_FALSE(stopped_);
  buffers_.take(buffers_.size_of_control());
  EXPECT_TRUE(stopped_);
}

TEST_F(Am2ReceiveBuffers, HoldSomethingOfEveryPacket) {
  parameters_.control_size = 0_B;
  EXPECT_EQ(buffers_.size_of_control(), 1_B);
  buffers_.take(buffers_.size_of_control());
  EXPECT_FALSE(buffers_.empty());
  buffers_.give_back(buffers_.size_of_control());
  EXPECT_TRUE(buffers_.empty());
}

}  // namespace
}  // namespace morgana
