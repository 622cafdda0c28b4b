// The arguments of a call while a model writes them: gives what is certain of them in the form of argumentsText().
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace minerva::text::calls {

class GrowingArguments {
 public:
  virtual ~GrowingArguments() = default;
  // text: the arguments from their beginning on, as much of them as there is; a later one begins with an earlier one. Appends to `out`.
  virtual void read(std::string_view text, std::string& out) = 0;
  [[nodiscard]] virtual bool isComplete() const = 0;
  // Of the text: bytes that `out` tells of.
  [[nodiscard]] std::size_t told() const { return m_told; }

 protected:
  std::size_t m_told = 0;
};

}  // namespace minerva::text::calls
