// Reports that are kept: what is written is read again, and what is no report is refused with the field.
#include "core/speed/saved_report.h"
#include "core/speed/speed_report.h"

#include <gtest/gtest.h>

namespace minerva::speed {
namespace {

SpeedReport sampleReport() {
  engine::ModelInfo info;
  info.displayName = "tiny | <model>";
  info.typeName = "Q4_0";
  info.weightBytesPerToken = 1000;
  backend::BandwidthCurve curve;
  curve.add({1 << 20, 1e9});
  SpeedReport report{.machine = {.processor = "A",
                                 .cores = 2,
                                 .threads = 4,
                                 .instructions = "avx2",
                                 .memoryBytes = 123456789012,
                                 .system = "Linux",
                                 .commit = "0123abcd",
                                 .date = "2026-11-26 09:30",
                                 .load = 0.25}};
  for (const int batch : {1, 2})
    report.rows.push_back(
        speedJson(info,
                  {.task = {.depth = 16, .batch = batch, .prompt = 8, .generate = 4},
                   .repetitions = {{.ttftMs = 5, .prefillPerSecond = 100, .decodePerSecond = 20.0 * batch, .intervals = {50, 51}}}},
                  curve));
  return report;
}

TEST(SavedReport, IsReadAsItWasWritten) {
  const SpeedReport report = sampleReport();
  const auto read = readReport(toDocument(report), "file");
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->rows, report.rows);
  EXPECT_EQ(toJson(read->machine), toJson(report.machine));
  EXPECT_EQ(speedMarkdown(read->rows, read->machine), speedMarkdown(report.rows, report.machine));
  EXPECT_EQ(speedSvg(read->rows, read->machine), speedSvg(report.rows, report.machine));
}

TEST(SavedReport, SaysThatItWasDisturbed) {
  SpeedReport report = sampleReport();
  const std::string words = "other work meanwhile";
  EXPECT_EQ(speedMarkdown(report.rows, report.machine).find(words), std::string::npos);
  report.machine.disturbed = true;
  const auto read = readReport(toDocument(report), "file");
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_TRUE(read->machine.disturbed);
  EXPECT_NE(speedMarkdown(read->rows, read->machine).find(words), std::string::npos);
  EXPECT_NE(speedSvg(read->rows, read->machine).find("meanwhile"), std::string::npos) << "its lines are broken";
  Json strange = Json::parse(toDocument(report));
  strange["machine"]["disturbed"] = "yes";
  EXPECT_FALSE(readReport(strange.dump(), "file")->machine.disturbed);
}

TEST(SpeedMarkdown, AnUnknownBandwidthIsNoShare) {
  engine::ModelInfo info;
  info.weightBytesPerToken = 1000;
  const SpeedRun run{.task = {}, .repetitions = {{.ttftMs = 5, .prefillPerSecond = 100, .decodePerSecond = 20, .intervals = {50}}}};
  const Json unknown = Json::array({speedJson(info, run, {})});
  EXPECT_TRUE(unknown[0]["bandwidth_share"].is_null());
  EXPECT_NE(speedMarkdown(unknown, {}).find("| not measured |"), std::string::npos);
  backend::BandwidthCurve slow;
  slow.add({1 << 20, 10});
  EXPECT_NE(speedMarkdown(Json::array({speedJson(info, run, slow)}), {}).find("| more than measured |"), std::string::npos);
}

// A third of the experts is used by a row, five ninths by one of two that choose independently, and 19 of 27 by one of three.
TEST(SpeedJson, SeveralConversationsOfAMixtureReadMoreExperts) {
  engine::ModelInfo info;
  info.weightBytesPerToken = 1000;
  info.expertReads.kinds = {{.bytes = 2700, .share = 1.0 / 3}};
  const auto bytesWith = [&](int batch) {
    const SpeedRun run{.task = {.batch = batch}, .repetitions = {{.decodePerSecond = 20, .intervals = {50}}}};
    return speedJson(info, run, {})["bytes_per_token"].get<double>();
  };
  EXPECT_NEAR(bytesWith(1), 1000, 1e-9);
  EXPECT_NEAR(bytesWith(2), (100 + 1500) / 2.0, 1e-9);
  EXPECT_NEAR(bytesWith(3), (100 + 1900) / 3.0, 1e-9);
}

TEST(SpeedSvg, ASinglePointBesideLinesIsLeftOut) {
  SpeedReport report = sampleReport();  // batches 1 and 2 at a depth of 16
  EXPECT_EQ(speedSvg(report.rows, report.machine).find("tokens in the context"), std::string::npos);
  Json deeper = report.rows.front();
  deeper["depth"] = 64;
  report.rows.push_back(deeper);
  const std::string svg = speedSvg(report.rows, report.machine);
  const auto times = [&svg](const std::string& part) {
    int count = 0;
    for (std::size_t at = svg.find(part); at != std::string::npos; at = svg.find(part, at + 1)) ++count;
    return count;
  };
  EXPECT_EQ(times("<path"), 4) << "decode and prefill, over batch and over depth";
  EXPECT_EQ(times("<circle"), 8);
  EXPECT_EQ(times("Minerva 0123abcd"), 1);
}

TEST(SavedReport, AMissingOrWrongFieldIsNamed) {
  const Json whole = Json::parse(toDocument(sampleReport()));
  const auto refused = [](const Json& document, const std::string& field) {
    const auto read = readReport(document.dump(), "kept.json");
    ASSERT_FALSE(read) << field;
    EXPECT_EQ(read.error().kind, ErrorKind::corrupt);
    EXPECT_EQ(read.error().where, "kept.json");
    EXPECT_NE(read.error().what.find(field), std::string::npos) << read.error().message();
  };
  int fields = 0;
  const std::vector<Json> strange{Json(),        Json("text"),   Json(-1),   Json(1.5),
                                  Json::array(), Json::object(), Json(true), Json(std::uint64_t{1} << 60)};
  for (const char* part : {"machine", "rows"}) {
    const Json& object = std::string(part) == "rows" ? whole["rows"][0] : whole["machine"];
    for (const auto& [name, value] : object.items()) {
      if (name == "bytes_per_token") continue;  // nobody reads it
      Json changed = whole;
      Json& place = std::string(part) == "rows" ? changed["rows"][0] : changed["machine"];
      place.erase(name);
      refused(changed, name);
      ++fields;
      for (const Json& other : strange) {  // refused or usable, but no exception
        place[name] = other;
        const auto read = readReport(changed.dump(), "kept.json");
        if (!read) continue;
        EXPECT_FALSE(speedMarkdown(read->rows, read->machine).empty());
        EXPECT_FALSE(speedSvg(read->rows, read->machine).empty());
      }
    }
  }
  EXPECT_GT(fields, 25);
}

TEST(SavedReport, NonsenseIsRefused) {
  Json none = Json::parse(toDocument(sampleReport()));
  none["rows"] = Json::array();
  Json many = none;
  for (int i = 0; i < 600; ++i) many["rows"].push_back(1);
  for (const std::string& text : {std::string(), std::string("{"), std::string("[]"), std::string("{\"machine\": 1e999}"),
                                  std::string(100000, '['), std::string(5 << 20, ' '), none.dump(), many.dump()})
    EXPECT_FALSE(readReport(text, "kept.json")) << text.substr(0, 40);
}

}  // namespace
}  // namespace minerva::speed
