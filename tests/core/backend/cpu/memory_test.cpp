// What is said when the system gives no memory.
#include "core/backend/cpu/memory.h"

#include <gtest/gtest.h>

#include <sys/resource.h>

namespace minerva::cpu {
namespace {

TEST(HostMemory, SaysThatThereIsNotEnough) {
  const auto memory = HostMemory::create(std::size_t{1} << 48, false);
  ASSERT_FALSE(memory);
  EXPECT_EQ(memory.error().what, "The system could not allocate memory");
  EXPECT_EQ(memory.error().expected, "256.00 TiB");
}

TEST(HostMemory, SaysThatALimitForbidsWhatIsFree) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "skipped: a sanitizer needs more address space";
#endif
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_AS, &before), 0);
  const rlimit tight{1, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &tight), 0);
  const auto memory = HostMemory::create(std::size_t{1} << 20, false);
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &before), 0);
  ASSERT_FALSE(memory);
  EXPECT_TRUE(memory.error().what.contains("refused")) << memory.error().what;
  EXPECT_EQ(memory.error().expected, "1.00 MiB");
}

}  // namespace
}  // namespace minerva::cpu
