// State shared by the parts of the GGUF reader, and the metadata section.
#pragma once

#include "core/format/byte_reader.h"
#include "core/format/model_file_builder.h"

#include <string>
#include <string_view>

namespace minerva::format {

// Lives while one file is read.
struct GgufCursor {
  static constexpr const char* damagedHint = "The file is damaged or its download incomplete; download it again.";
  std::span<const std::byte> bytes;
  const std::string& where;
  ModelFileBuilder& builder;  // for warnings
  ByteReader reader;

  [[nodiscard]] std::unexpected<Error> corrupt(std::string what, std::string expected = {}, std::string actual = {}) const {
    return fail({.kind = ErrorKind::corrupt,
                 .what = std::move(what),
                 .where = where + ", byte " + std::to_string(reader.position()),
                 .expected = std::move(expected),
                 .actual = std::move(actual),
                 .hint = damagedHint});
  }

  // expected: the content that was expected, such as "201 tensors".
  [[nodiscard]] std::unexpected<Error> truncated(const std::string& inside, std::string expected = "more bytes") const {
    return corrupt("The file ends inside " + inside, std::move(expected), std::to_string(reader.left()) + " bytes to the end of the file");
  }
};

// Reads `count` keys into `keys`, large arrays as views. Errors: corrupt, limit (arrays nested deeper than 8).
[[nodiscard]] Result<void> readGgufKeys(GgufCursor& cursor, std::uint64_t count, Metadata& keys);

// 1 to 65535 bytes of UTF-8. NUL is rejected: programs that treat it as the end would see a different name.
[[nodiscard]] bool isValidGgufName(std::string_view name);

}  // namespace minerva::format
