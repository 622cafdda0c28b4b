// The texts of `format`: what people and programs write has to fit, because a mask turns what does not fit into something else.
#include "core/grammar/json_schema.h"

#include "tests/core/grammar/grammar_test.h"

#include <string>
#include <vector>

namespace minerva::grammar {
namespace {

GrammarPointer ofFormat(const std::string& format, Json more = Json::object()) {
  more["type"] = "string";
  more["format"] = format;
  const auto made = jsonSchemaGrammar(more, "schema");
  EXPECT_TRUE(made) << more << "\n" << made.error().message();
  return made ? *made : nullptr;
}

bool isText(const GrammarPointer& grammar, const std::string& text) { return grammar != nullptr && takes(grammar, Json(text).dump()); }

TEST(Formats, TakeTheNamesAndAddressesThatAreInUse) {
  struct Row {
    const char* format;
    std::vector<const char*> texts, others;
  };
  for (const auto& [format, texts, others] : {
           Row{"email",
               {"christopherjamesanderson@gmail.com", "jane.doe@internationalbusinessmachines.com", "first.last@cs.dept.ox.ac.uk",
                "firstname.lastname.middle.other@example.com", "_x@y.de", "x_@y.de", "o'brien@example.ie", "a--b@c--d.org",
                "a+b+c+d@example.museum"},
               {"a", "a@b", "a..b@c.de", ".a@c.de", "a.@c.de", "a@-b.de", "a@b-.de", "a@b..de", "a b@c.de"}},
           Row{"idn-email",
               {"christopherjamesanderson@gmail.com", "jos\u00E9@m\u00FCller.de", "\u6771@\u4EAC.\u65E5\u672C"},
               {"a@b", "a@\u201Cb.de"}},
           Row{"idn-hostname", {"m\u00FCller.de", "\u0440\u0444.\u0440\u0444"}, {"a b", "-a"}},
           Row{"hostname",
               {"my-app-git-main-team.vercel.app", "a.b.c.d.e.example.com", "3com", "localhost"},
               {"-a.de", "a-.de", "a..de", "a_b.de", ""}},
           Row{"uri",
               {"https://my-app-git-main-team.vercel.app/", "https://a.b.c.d.example.com/", "s3://my_bucket/a/b.parquet",
                "s3://2024-reports/x", "mailto:jane.doe@example.com", "file:///etc/hosts", "postgresql://user:p%40ss@db:5432/name",
                "http://user:pw@host/", "http://[::1]:8080/", "urn:isbn:0451450523", "tel:+1-816-555-1212",
                "data:text/plain;base64,SGk=", "git+ssh://git@github.com/a/b.git", "http://localhost:65535/"},
               {"example.com", "http://", "://a", "1a:b", "http://a b", "http://a/%2", "http://[::1", "http://a:65536/",
                "http://a/\u00E9"}},
           Row{"iri",
               {"https://de.wikipedia.org/wiki/K\u00F6ln", "http://m\u00FCller.de/", "https://ja.wikipedia.org/wiki/\u6771\u4EAC"},
               {"http://a b"}},
           Row{"iri-reference", {"/wiki/K\u00F6ln", "K\u00F6ln", "?q=\u6771", "//a.b"}, {"a b"}},
           Row{"uri-reference", {"//a.b/c", "/a", "mailto:a@b.c"}, {"/\u00E9", "a b"}},
           Row{"ipv6", {"::ffff:192.168.0.1", "::1", "64:ff9b::192.0.2.33"}, {"1.2.3.4", "::ffff:256.0.0.1", "1:2"}},
           Row{"ipvanyaddress", {"192.168.0.1", "fe80::1", "::"}, {"a", "1.2.3"}},
       }) {
    const GrammarPointer grammar = ofFormat(format);
    for (const char* text : texts) EXPECT_TRUE(isText(grammar, text)) << format << " " << text;
    for (const char* text : others) EXPECT_FALSE(isText(grammar, text)) << format << " " << text;
  }
}

// Pydantic's HttpUrl and AnyUrl, and fields of data bases.
TEST(Formats, TakeThemAlsoBesideALength) {
  for (const int most : {63, 100, 254, 320})
    for (const char* text : {"christopherjamesanderson@gmail.com", "_x@first-second-third-fourth.dept.ox.ac.uk"})
      EXPECT_TRUE(isText(ofFormat("email", {{"maxLength", most}}), text)) << most << text;
  for (const int most : {500, 2083, 65536})
    for (const char* text : {"https://my-app-git-main-team.vercel.app/", "https://a.b.c.d.example.com/", "http://user:pw@host/x",
                             "s3://my_bucket/a", "http://[::1]/", "mailto:a@b.c"})
      EXPECT_TRUE(isText(ofFormat("uri", {{"minLength", 1}, {"maxLength", most}}), text)) << most << text;
  EXPECT_TRUE(isText(ofFormat("uri", {{"maxLength", 2083}}), "https://example.com/" + std::string(160, 'x')));
  EXPECT_FALSE(isText(ofFormat("uri", {{"maxLength", 100}}), "https://example.com/" + std::string(100, 'x')));
}

}  // namespace
}  // namespace minerva::grammar
