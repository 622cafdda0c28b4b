"""The sentences of errors are found in C++ sources, however they get there (resources/translations/error_texts.py)."""
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../resources/translations"))
import error_texts  # noqa: E402

failures = 0


def check(what, sources, *wanted):
    """sources: {path: content} or the content of one file; wanted: (field, text)."""
    global failures
    files = sources if isinstance(sources, dict) else {"a.cpp": sources}
    found = {(field, error_texts.shown(text)) for _, _, field, texts in error_texts.Sources(files).errors() for text in texts}
    if found != set(wanted):
        failures += 1
        print(f"{what}:\n  missing {sorted(set(wanted) - found)}\n  not wanted {sorted(found - set(wanted))}")


check("fields", 'auto f() { return fail({.kind = ErrorKind::io, .what = "It broke", .where = path, .hint = "Mend it"}); }',
      ("what", "It broke"), ("where", "%1"), ("hint", "Mend it"))
check("literals side by side", 'Error e{.kind = k, .what = "It "\n  "broke"};', ("what", "It broke"))
check("without names", 'auto f() { return fail({ErrorKind::limit, "too " + what, "here", "at most 1", "2", ""}); }',
      ("what", "too %1"), ("where", "here"), ("expected", "at most 1"), ("actual", "2"), ("hint", ""))
check("our own mistakes", 'Error e{.kind = ErrorKind::internal, .what = "We are wrong"};')
check("assigned", 'void f(Error& error) { error.what = "Late"; error.actual += ", and more"; }', ("what", "Late"), ("actual", "%1, and more"))
check("a choice", 'Error e{.kind = k, .what = a ? "One" : b ? "Two" : "Three"};', ("what", "One"), ("what", "Two"), ("what", "Three"))
check("a choice within", 'Error e{.kind = k, .what = "It " + std::string(a ? "sinks" : "burns") + " here"};',
      ("what", "It sinks here"), ("what", "It burns here"))
check("values", 'Error e{.kind = k, .what = "Tensor " + readable(name) + " of " + std::to_string(count) + " occurs twice"};',
      ("what", "Tensor %1 of %2 occurs twice"))
check("format", 'Error e{.kind = k, .what = std::format("{} of {:.1f} s", a, b)};', ("what", "%1 of %2 s"))
check("arg", 'Error e{.kind = k, .hint = QStringLiteral("see %1 at %2").arg(a, b).toStdString()};', ("hint", "see %1 at %2"))
check("a parameter", 'Error wrong(std::string what, const char* hint = "") { return {.kind = k, .what = std::move(what), .hint = hint}; }\n'
      'void f() { return wrong("It broke"); }\nvoid g() { return wrong("It " + name + " broke", "Mend it"); }',
      ("what", "It broke"), ("what", "It %1 broke"), ("hint", "Mend it"))
check("a lambda", 'void f() { const auto wrong = [&](const char* what) { return fail({.kind = k, .what = label + what}); };\n'
      'if (a) return wrong(" is not there at all"); }', ("what", "%1 is not there at all"))
check("a helper of another file", {"a.h": "Error wrong(std::string what);", "b.cpp": 'void f() { return wrong("It broke"); }',
                                   "a.cpp": '#include "a.h"\nError wrong(std::string what) { return {.kind = k, .what = what}; }'},
      ("what", "It broke"))
check("a helper of the same name", {"a.cpp": "Error wrong(std::string what) { return {.kind = k, .what = what}; }\nvoid h() { wrong(name); }",
                                    "b.cpp": 'int wrong(std::string what) { return 1; }\nvoid f() { return wrong("another thing"); }'},
      ("what", "%1"))
check("a method", {"a.h": "struct A { Error open(const char* what); };", "c.h": "void open(int);", "b.cpp": 'void f() { A::open("the door"); }',
                   "a.cpp": 'Error A::open(const char* what) { return {.kind = k, .what = what + std::string(" is shut")}; }'},
      ("what", "the door is shut"))
check("a constant", 'constexpr const char* damaged = "It is damaged";\nvoid f() { Error e{.kind = k, .hint = damaged}; }', ("hint", "It is damaged"))
check("a member", 'struct A { A(std::string what) : m_what(std::move(what)) {}\n  Error f() { return {.kind = k, .what = m_what}; }\n};\n'
      'void g() { A("the things in it"); }', ("what", "the things in it"))
check("a table", 'struct Row { int n; const char* what; };\nconstexpr Row rows[] = {{1, "This is one"}, {.n = 2, .what = "This is two"}};\n'
      'void f(const Row& row) { Error e{.kind = k, .what = row.what}; }', ("what", "This is one"), ("what", "This is two"))
check("another function's result", 'std::string hint(bool a) { if (a) return "Go left"; return "Go " + way; }\n'
      'void f() { Error e{.kind = k, .hint = hint(b)}; }', ("hint", "Go left"), ("hint", "Go %1"))
check("names are values", 'Error lacks(std::string name) { return {.kind = k, .what = "The model lacks " + name}; }\n'
      'void f() { lacks("blk.0.ffn_up"); lacks("the layer types"); }', ("what", "The model lacks %1"), ("what", "The model lacks the layer types"))
check("in comments and strings", '// Error e{.kind = k, .what = "no"};\nconst char* text = "Error e{.kind = k, .what = 1}";')
check("warnings", 'void f() { spdlog::warn("a log {}", 1); warn("The file " + name + " is old"); report.warnings.push_back("It is slow"); }',
      ("warning", "The file %1 is old"), ("warning", "It is slow"))
check("recursion", 'Error again(std::string what) { if (a) return again(what); return {.kind = k, .what = what}; }\nvoid f() { again("Enough"); }',
      ("what", "Enough"))

for text, told in ((("Tensor ", None, " occurs twice"), True), ((None, " ", None), False), (("see ", None), False), (("at most ", None), True),
                   (("The file is empty",), True), (("F32",), False), (("https://", None), False), (("VkResult ", None), False)):
    if error_texts.told(text) != told:
        failures += 1
        print(f"{error_texts.shown(text)}: told {not told}")
print(f"{failures} failures")
sys.exit(1 if failures else 0)
