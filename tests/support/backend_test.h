// A test that runs once per backend; it creates the backend and fails on any message of the validation layer.
#pragma once

#include "tests/support/conformance.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace minerva::tests {

class BackendTest : public testing::TestWithParam<BackendUnderTest> {
 protected:
  void SetUp() override {
    auto created = createBackend(GetParam().device, GetParam().options);
    ASSERT_TRUE(created.has_value()) << created.error().message();
    m_backend = std::move(*created);
  }
  void TearDown() override {
    if (!m_backend) return;
    for (const std::string& message : validationMessages(*m_backend)) ADD_FAILURE() << message;
  }

  std::unique_ptr<backend::Backend> m_backend;
};

}  // namespace minerva::tests
