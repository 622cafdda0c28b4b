#include "app/chat/languages.h"

#include <vector>

namespace minerva::app {
namespace {

QStringList list(const char* spaced) { return QString::fromLatin1(spaced).split(QLatin1Char(' '), Qt::SkipEmptyParts); }

QSet<QString> words(const char* spaced) {
  const QStringList all = list(spaced);
  return {all.begin(), all.end()};
}

QString latin(const char* latin) { return QString::fromLatin1(latin); }

constexpr const char* cKeywords =
    "if else for while do switch case default break continue return goto sizeof typedef struct union enum static extern const "
    "volatile register inline restrict auto";
constexpr const char* cTypes =
    "int char float double void long short unsigned signed bool size_t ssize_t int8_t int16_t int32_t int64_t uint8_t uint16_t "
    "uint32_t uint64_t FILE";

// names | keywords | types | line comments | block comment | quotes | long quote | capitals are types
std::vector<Language> makeTable() {
  const auto cLike = [](const char* names, const QString& keywords, const QString& types, const char* quotes, const char* longQuote,
                        bool capitals) {
    return Language{list(names),
                    words(keywords.toLatin1()),
                    words(types.toLatin1()),
                    list("//"),
                    latin("/*"),
                    latin("*/"),
                    latin(quotes),
                    latin(longQuote),
                    capitals};
  };
  const QString c = latin(cKeywords), t = latin(cTypes);
  return {
      cLike("c h", c + latin(" #include #define #ifdef #ifndef #endif #if #else #pragma"), t, "\"'", "", false),
      cLike("cpp c++ cc cxx hpp h++ hxx",
            c + latin(" class public private protected virtual override final namespace using template typename new delete this "
                      "operator friend explicit constexpr consteval constinit noexcept nullptr true false try catch throw "
                      "static_cast dynamic_cast const_cast reinterpret_cast decltype concept requires co_await co_return co_yield "
                      "mutable and or not #include #define #ifdef #ifndef #endif #if #else #pragma"),
            t + latin(" std string vector map set pair array optional variant span string_view unique_ptr shared_ptr ifstream "
                      "ofstream istringstream ostringstream ostream istream cout cin cerr thread mutex"),
            "\"'", "", false),
      cLike("java",
            latin("abstract assert break case catch class const continue default do else enum extends final finally for if "
                  "implements import instanceof interface native new package private protected public return static super "
                  "switch synchronized this throw throws transient try void volatile while true false null var record "
                  "sealed permits yield"),
            latin("boolean byte char double float int long short"), "\"'", "\"\"\"", true),
      cLike("cs csharp c#",
            latin("abstract as async await base break case catch class const continue default delegate do else enum "
                  "event explicit extern finally fixed for foreach get if implicit in init interface internal is "
                  "lock namespace new null operator out override params private protected public readonly record "
                  "ref return sealed set static struct switch this throw true false try typeof using var virtual "
                  "void where while yield"),
            latin("bool byte char decimal double float int long object sbyte short string uint ulong ushort"), "\"'", "\"\"\"", true),
      cLike("js javascript jsx mjs ts typescript tsx",
            latin("async await break case catch class const continue debugger default delete do else export extends finally for "
                  "from function if import in instanceof let new null of return static super switch this throw true false try "
                  "typeof undefined var void while with yield interface type enum implements private public protected readonly "
                  "abstract as declare namespace keyof satisfies"),
            latin("any boolean never number object string symbol unknown bigint"), "\"'", "`", true),
      cLike("rust rs",
            latin("as async await break const continue crate dyn else enum extern false fn for if impl in let loop match "
                  "mod move mut pub ref return self Self static struct super trait true type unsafe use where while"),
            latin("bool char f32 f64 i8 i16 i32 i64 i128 isize str u8 u16 u32 u64 u128 usize"), "\"", "", true),
      cLike("go golang",
            latin("break case chan const continue default defer else fallthrough for func go goto if import interface "
                  "map package range return select struct switch type var true false nil iota"),
            latin("bool byte complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string uint uint8 uint16 "
                  "uint32 uint64 uintptr any"),
            "\"'", "`", false),
      cLike("kotlin kt",
            latin("as break by class companion const continue data do else enum false final for fun if import in init "
                  "interface internal is lateinit null object open override package private protected public return "
                  "sealed super suspend this throw true try typealias val var when while"),
            latin(""), "\"'", "\"\"\"", true),
      cLike("swift",
            latin("as break case catch class continue default defer do else enum extension false fileprivate for func guard "
                  "if import in init inout internal is let nil open override private protocol public repeat return self "
                  "static struct super switch throw throws true try typealias var where while async await actor"),
            latin(""), "\"", "\"\"\"", true),
      cLike("qml",
            latin("import property required readonly signal function return if else for while var let const true false null "
                  "undefined id on pragma component alias as default"),
            latin("int real string bool color list url double point size rect date"), "\"'", "`", true),
      cLike("glsl comp vert frag", c + latin(" layout in out inout uniform buffer shared precision highp mediump lowp"),
            t + latin(" vec2 vec3 vec4 ivec2 ivec3 ivec4 uvec2 uvec3 uvec4 mat2 mat3 mat4 sampler2D uint float16_t"), "\"", "", false),
      cLike("css scss", latin("@media @import @keyframes @font-face !important"), latin(""), "\"'", "", false),
      {list("python py python3"),
       words("and as assert async await break class continue def del elif else except False finally for from global if import in is "
             "lambda None nonlocal not or pass raise return True try while with yield match case self"),
       words("int float str bool bytes list dict set tuple object type range print len open enumerate zip map filter super"),
       list("#"),
       {},
       {},
       latin("\"'"),
       latin("\"\"\""),
       false},
      {list("bash sh shell zsh console"),
       words("if then else elif fi for while until do done case esac in function return local export readonly declare set unset "
             "shift exit trap source alias break continue select time"),
       words("echo cd ls cat grep sed awk find sudo apt git mkdir rm cp mv curl tar chmod chown test printf read cmake make python3 pip"),
       list("#"),
       {},
       {},
       latin("\"'"),
       {},
       false},
      {list("json jsonc"), words("true false null"), {}, list("//"), {}, {}, latin("\""), {}, false},
      {list("yaml yml"), words("true false null yes no"), {}, list("#"), {}, {}, latin("\"'"), {}, false},
      {list("toml ini"), words("true false"), {}, list("# ;"), {}, {}, latin("\"'"), {}, false},
      {list("cmake"),
       words("if else elseif endif foreach endforeach function endfunction macro endmacro set option include project "
             "add_executable add_library add_subdirectory target_link_libraries target_include_directories find_package install "
             "return while endwhile message"),
       words("PUBLIC PRIVATE INTERFACE REQUIRED COMPONENTS STATIC SHARED VERSION ON OFF"),
       list("#"),
       {},
       {},
       latin("\""),
       {},
       false},
      {list("sql sqlite postgres mysql"),
       words("select from where insert into values update set delete create table index view drop alter add join left right inner "
             "outer on as and or not null is in exists group by order having limit offset union all distinct primary key foreign "
             "references default unique case when then else end begin commit rollback SELECT FROM WHERE INSERT INTO VALUES UPDATE "
             "SET DELETE CREATE TABLE INDEX VIEW DROP ALTER ADD JOIN LEFT RIGHT INNER OUTER ON AS AND OR NOT NULL IS IN EXISTS GROUP "
             "BY ORDER HAVING LIMIT OFFSET UNION ALL DISTINCT PRIMARY KEY FOREIGN REFERENCES DEFAULT UNIQUE CASE WHEN THEN ELSE END"),
       words("integer text real blob varchar int bigint boolean date timestamp INTEGER TEXT REAL BLOB VARCHAR INT BIGINT BOOLEAN"),
       list("--"),
       latin("/*"),
       latin("*/"),
       latin("'\""),
       {},
       false},
      {list("lua"),
       words("and break do else elseif end false for function goto if in local nil not or repeat return then true until while"),
       {},
       list("--"),
       latin("--[["),
       latin("]]"),
       latin("\"'"),
       {},
       false},
      {list("ruby rb"),
       words("alias and begin break case class def do else elsif end ensure false for if in module next nil not or redo rescue retry "
             "return self super then true undef unless until when while yield require attr_accessor puts"),
       {},
       list("#"),
       {},
       {},
       latin("\"'"),
       {},
       true},
      {list("html xml svg"), {}, {}, {}, latin("<!--"), latin("-->"), latin("\"'"), {}, false},
  };
}

}  // namespace

const Language* languageNamed(const QString& name) {
  static const std::vector<Language> table = makeTable();
  const QString wanted = name.trimmed().toLower();
  for (const Language& language : table)
    if (language.names.contains(wanted)) return &language;
  return nullptr;
}

}  // namespace minerva::app
