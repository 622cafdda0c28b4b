// Tasks that wait for their thread.
#include "core/base/task_queue.h"
#include "tests/support/no_threads.h"

#include <gtest/gtest.h>

#include <future>

namespace minerva {
namespace {

TEST(TaskQueue, ATaskWithoutAThreadIsRefusedAndTheNextOneRuns) {
  TaskQueue queue(1);
  bool ran = false;
  {
    const tests::NoThreads none;
    EXPECT_FALSE(queue.post([&ran] { ran = true; }));
  }
  std::promise<void> done;
  EXPECT_TRUE(queue.post([&done] { done.set_value(); })) << "the first one does not wait any more";
  done.get_future().wait();
  EXPECT_FALSE(ran);
}

}  // namespace
}  // namespace minerva
