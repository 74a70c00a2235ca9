#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "benchmarks/kernels/cg/cg.h"
#include "benchmarks/kernels/ep/ep.h"
#include "benchmarks/kernels/ft/ft.h"
#include "benchmarks/kernels/is/is.h"
#include "benchmarks/kernels/mg/mg.h"
#include "benchmarks/kernels/pde1/pde1.h"
#include "benchmarks/kernels/pde2/pde2.h"
#include "benchmarks/kernels/solver/solver.h"
#include "tests/benchmarks/kernels/thread_team.h"

namespace morgana::kernels::test {
namespace {

/// What is asked of a kernel in these tests.
struct Case {
  const Kernel& (*kernel)();
  Sizes own;  ///< sizes of no class, which it solves
  const char* name;
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.name;
}

class EachKernel : public testing::TestWithParam<Case> {
 protected:
  const Kernel& kernel() const { return GetParam().kernel(); }
};

TEST_P(EachKernel, SolvesClassSWithAnyNumberOfWorkers) {
  for (const int workers : {1, 2, 3, 4, 5, 6, 7, 8, 16}) {
    SCOPED_TRACE(workers);
    const KernelRun run = run_kernel(kernel(), kernel().sizes_of_class(0), workers);
    EXPECT_TRUE(run.outcome.passed) << run.outcome.figures;
    EXPECT_TRUE(run.all_received);
  }
}

TEST_P(EachKernel, SolvesSizesThatNobodyHasPublished) {
  ASSERT_EQ(kernel().class_of(GetParam().own), "");
  for (const int workers : {1, 2, 5, 8}) {
    SCOPED_TRACE(workers);
    const KernelRun run = run_kernel(kernel(), GetParam().own, workers);
    EXPECT_TRUE(run.outcome.passed) << run.outcome.figures;
    EXPECT_THAT(run.outcome.figures, testing::Not(testing::HasSubstr("published")));
  }
}

TEST_P(EachKernel, ComputesTheSameBitsAgain) {
  const Sizes sizes = kernel().sizes_of_class(0);
  EXPECT_EQ(run_kernel(kernel(), sizes, 5).outcome.figures, run_kernel(kernel(), sizes, 5).outcome.figures);
}

INSTANTIATE_TEST_SUITE_P(Of, EachKernel,
                         testing::Values(Case{ep, {18}, "ep"}, Case{cg, {500, 5, 4, 25, 9}, "cg"},
                                         Case{ft, {16, 32, 64, 2}, "ft"}, Case{is, {14, 9, 3}, "is"},
                                         Case{mg, {16, 6}, "mg"}, Case{pde1, {20, 130}, "pde1"},
                                         Case{pde2, {64, 6}, "pde2"},
                                         Case{solver, {6, 4, 8, 12, 45}, "solver"}),
                         [](const auto& it) { return std::string(it.param.name); });

/// A message late enough that no later iteration repairs what comes of it.
struct Spoilt {
  const Kernel& (*kernel)();
  Sizes sizes;
  std::int64_t from_end;  ///< 1 is worker 1's last one
};

class Verification : public testing::TestWithParam<Spoilt> {};

TEST_P(Verification, NoticesOneSpoiltMessage) {
  const Kernel& kernel = GetParam().kernel();
  const KernelRun right = run_kernel(kernel, GetParam().sizes, 4);
  ASSERT_TRUE(right.outcome.passed) << right.outcome.figures;
  const std::int64_t spoilt = right.messages_of_worker_1 - GetParam().from_end;
  EXPECT_FALSE(run_kernel(kernel, GetParam().sizes, 4, spoilt).outcome.passed);
}

INSTANTIATE_TEST_SUITE_P(Of, Verification,
                         testing::Values(Spoilt{ep, {24}, 1}, Spoilt{ep, {18}, 1},
                                         Spoilt{cg, {1400, 7, 15, 25, 10}, 4},
                                         Spoilt{cg, {500, 5, 1, 25, 9}, 8}, Spoilt{ft, {64, 64, 64, 6}, 3},
                                         Spoilt{ft, {16, 32, 64, 2}, 3}, Spoilt{mg, {32, 4}, 4},
                                         Spoilt{mg, {16, 6}, 4}, Spoilt{pde1, {20, 130}, 5},
                                         Spoilt{pde2, {64, 6}, 2}, Spoilt{solver, {4, 4, 8, 8, 50}, 3}),
                         [](const auto& it) {
                           return it.param.kernel().name + "_" + std::to_string(it.param.sizes[0]);
                         });

TEST(VerificationOfIterations, NoticesThatIterationsAreTooFew) {
  EXPECT_FALSE(run_kernel(cg(), {500, 5, 1, 3, 9}, 2).outcome.passed);
  EXPECT_FALSE(run_kernel(pde1(), {20, 30}, 2).outcome.passed);
  EXPECT_FALSE(run_kernel(solver(), {4, 4, 8, 8, 5}, 2).outcome.passed);
}

/// Mean and count of the messages of Table A.1; what the master sends and gets is not in it here.
struct Published {
  const Kernel& (*kernel)();
  double messages, mean;
  double median;
};

class PaperTraffic : public testing::TestWithParam<Published> {};

TEST_P(PaperTraffic, OfFourWorkersIsThatOfThePaper) {
  const Kernel& kernel = GetParam().kernel();
  const KernelRun run = run_kernel(kernel, kernel.sizes_of_class(3), 4);
  EXPECT_TRUE(run.outcome.passed) << run.outcome.figures;
  EXPECT_NEAR(static_cast<double>(run.traffic.messages()), GetParam().messages, 0.02 * GetParam().messages);
  EXPECT_NEAR(run.traffic.mean(), GetParam().mean, 0.02 * GetParam().mean);
  EXPECT_EQ(run.traffic.median(), GetParam().median);
}

INSTANTIATE_TEST_SUITE_P(
    Of, PaperTraffic,
    testing::Values(Published{pde1, 5608, 8180.360, 8192}, Published{pde2, 8068, 116.827, 40},
                    Published{solver, 4792, 7107.595, 6144}, Published{cg, 7116, 1963.389, 8},
                    Published{ft, 189, 233200.75, 262144}, Published{is, 599, 71364.320, 130016},
                    Published{mg, 848, 30226.525, 2592}),
    [](const auto& it) { return it.param.kernel().name; });

TEST(PaperTrafficOfEp, IsNothingWhileItComputes) {
  const KernelRun run = run_kernel(ep(), {16}, 4);
  EXPECT_EQ(run.traffic.messages(), 3) << "the sums, at the end";
}

TEST(PaperTrafficOfPde1, HasFacesOf8192BytesOnly) {
  const KernelRun run = run_kernel(pde1(), pde1().sizes_of_class(3), 4);
  EXPECT_EQ(run.traffic.by_length().at(8192), 5600);
}

TEST(PaperTrafficOfFt, HasFourteenExchangesOfTwelveBlocks) {
  const KernelRun run = run_kernel(ft(), ft().sizes_of_class(3), 4);
  EXPECT_EQ(run.traffic.by_length().at(262144), 168);
}

}  // namespace
}  // namespace morgana::kernels::test
