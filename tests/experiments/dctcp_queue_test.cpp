// The queue that DCTCP keeps, against the model of its paper.
#include "experiments/modern/dctcp_queue.h"

#include <gtest/gtest.h>

namespace morgana {
namespace {

using modern_papers::dctcp_queue;
using modern_papers::least_queue_by_model;

TEST(DctcpQueue, SwingsBelowTheThresholdAsInThePaper) {
  for (const unsigned flows : {2U, 10U}) {
    const modern_papers::DctcpQueue queue = dctcp_queue(flows);
    const double least = least_queue_by_model(flows);
    EXPECT_NEAR(queue.least, least, 0.25 * least) << flows;
    // Qmax = K + N: each flow sends a segment more before it learns of marks. One more is on its way.
    EXPECT_NEAR(queue.most, modern_papers::marking_threshold + flows, 2) << flows;
    // The port never rests.
    EXPECT_GE(queue.busy, 0.9999) << flows;
  }
}

/// With 40 flows a window has three segments, and can't become less smoothly: the queue swings further down
/// than by the model, and the port does not rest all the same.
TEST(DctcpQueue, SwingsMoreWithManyFlows) {
  const modern_papers::DctcpQueue queue = dctcp_queue(40);
  EXPECT_LT(queue.least, least_queue_by_model(40));
  EXPECT_NEAR(queue.most, modern_papers::marking_threshold + 40, 2);
  EXPECT_GE(queue.busy, 0.9999);
}

}  // namespace
}  // namespace morgana
