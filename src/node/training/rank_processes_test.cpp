#include "node/training/rank_processes.h"

#include <gtest/gtest.h>

namespace trainyard::node {
namespace {

using namespace std::string_view_literals;

class RankProcessesTest : public testing::Test {
 protected:
  void add(int pid, int parent, const char* name, std::optional<int> rank = {},
           std::optional<int> local = {}) {
    processes_[pid] = ProcessState{name, 'S', parent, 0, static_cast<std::uint64_t>(pid) * 10, {}};
    const auto above = processes_.find(parent);
    if (above != processes_.end()) above->second.children.push_back(pid);
    variables_[pid] = RankVariables{rank, local, 4};
  }
  std::vector<RankProcess> find() {
    return find_ranks(processes_, 1, [this](int pid) { return variables_.at(pid); });
  }
  ProcessStates processes_;
  std::map<int, RankVariables> variables_;
};

TEST_F(RankProcessesTest, ARankIsAProcessWithItsLoaders) {
  add(1, 0, "shim-1");
  add(2, 1, "shim-1");  // the shim's own second process
  add(3, 2, "bash", 2, 0);
  add(4, 3, "python3", 2, 0);
  add(5, 4, "pt_data_worker", 2, 0);
  const auto ranks = find();
  ASSERT_EQ(ranks.size(), 1U);
  EXPECT_EQ(ranks[0].variables.rank, 2);
  EXPECT_EQ(ranks[0].pid, 4);
  EXPECT_EQ(ranks[0].start, 40U);
  EXPECT_EQ(ranks[0].family, (std::vector<int>{3, 4, 5}));
}

TEST_F(RankProcessesTest, TorchrunsWorkersAreRanksAndItselfIsNone) {
  add(1, 0, "shim-1");
  add(2, 1, "python3");
  add(3, 2, "python3", 0, 0);
  add(4, 2, "python3", 1, 1);
  add(5, 4, "python3", 1, 1);
  const auto ranks = find();
  ASSERT_EQ(ranks.size(), 2U);
  EXPECT_EQ(ranks[0].pid, 3);
  EXPECT_EQ(ranks[1].pid, 4);
  EXPECT_EQ(ranks[1].family, (std::vector<int>{4, 5}));
}

TEST_F(RankProcessesTest, TorchrunInAPodThatWasToldARank) {
  add(1, 0, "shim-1");
  add(2, 1, "torchrun", 0);
  add(3, 2, "python3", 0, 0);
  add(4, 2, "python3", 1, 1);
  const auto ranks = find();
  ASSERT_EQ(ranks.size(), 2U);
  EXPECT_EQ(ranks[0].pid, 3);
  EXPECT_EQ(ranks[1].variables.rank, 1);
}

TEST_F(RankProcessesTest, AContainerWithoutRanksIsOne) {
  add(1, 0, "shim-1");
  add(2, 1, "sh");
  add(3, 2, "trainer");
  const auto ranks = find();
  ASSERT_EQ(ranks.size(), 1U);
  EXPECT_FALSE(ranks[0].variables.rank);
  EXPECT_EQ(ranks[0].pid, 3);
  EXPECT_TRUE(find_ranks(processes_, 99, [](int) { return RankVariables(); }).empty());
}

TEST(RankVariables, AreReadFromTheEnvironment) {
  EXPECT_EQ(read_rank_variables("PATH=/bin\0RANK=3\0WORLD_SIZE=8\0LOCAL_RANK=1\0"sv),
            (RankVariables{3, 1, 8}));
  EXPECT_EQ(read_rank_variables("OMPI_COMM_WORLD_RANK=2\0OMPI_COMM_WORLD_SIZE=4"sv),
            (RankVariables{2, {}, 4}));
  EXPECT_EQ(read_rank_variables("RANK=x\0WORLD_SIZE=-1\0XRANK=1"sv), RankVariables());
}

}  // namespace
}  // namespace trainyard::node
