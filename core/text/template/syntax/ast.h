// A parsed template. Nodes are stored in the Program's deques and point to each other, so destruction is not recursive.
#pragma once

#include "core/text/template/template_error.h"

#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace minerva::text::jinja {

struct FilterEntry;
struct TestEntry;

// clang-format off
enum class ExprKind {
  none, boolean, integer, real, string,              // literals
  name, list, tuple, dict,                           // dict: items are key, value, key, value ...
  attribute, item, slice,                            // a.name; a[b]; a[items 0..2, each may be null]
  call, filter, test,                                // a(...); a|name(...); a is name(...)
  negate, plus, logicalNot, logicalAnd, logicalOr,
  add, subtract, multiply, divide, floorDivide, modulo, power, concat, compare, conditional,
  namespaceTarget,                                   // name.attr, as a target of set
};
// clang-format on

struct Expr {
  ExprKind kind;
  Position position;
  std::string text{};  // names, strings, attribute, filter and test names
  int name = -1;       // interned id of a name
  bool boolean = false;
  __extension__ __int128 integer = 0;
  double real = 0;
  int constant = -1;  // index of a string literal in the interpreter's cache
  Expr* a = nullptr;
  Expr* b = nullptr;
  Expr* c = nullptr;
  std::vector<Expr*> items{};            // elements, arguments, operands
  std::vector<std::string> operators{};  // of compare
  std::vector<std::pair<std::string, Expr*>> keywords{};
  Expr* dynamicArguments = nullptr;
  Expr* dynamicKeywords = nullptr;
  const FilterEntry* filter = nullptr;  // null: no filter of that name
  const TestEntry* test = nullptr;
};

// clang-format off
enum class StmtKind {
  text, output, ifs, forLoop, assign, assignBlock, macro, callBlock, filterBlock, with, scope, block, autoescape,
  breakLoop, continueLoop, noLoader,
};
// clang-format on

struct Stmt;
using Body = std::vector<Stmt*>;

struct Parameter {
  int name = -1;
  std::string text;
  Expr* fallback = nullptr;
};

// Common to macros and call blocks.
struct Signature {
  std::string name;
  int nameId = -1;
  std::vector<Parameter> parameters;
  bool usesCaller = false;
  bool usesKwargs = false;
  bool usesVarargs = false;
};

struct Stmt {
  StmtKind kind;
  Position position;
  std::string text{};            // text, block name
  std::vector<Expr*> exprs{};    // output; with: values; if: one condition per branch
  std::vector<Expr*> targets{};  // with
  Expr* target = nullptr;        // for, set
  Expr* value = nullptr;         // for: iterable; set: value; call: the call; filter: the filter chain
  Expr* condition = nullptr;     // for ... if
  bool recursive = false;
  bool scoped = false;
  Body body{};
  std::vector<Body> branches{};  // if: one body per condition
  Body otherwise{};              // else
  Signature signature{};
};

struct Program {
  std::deque<Expr> exprs;
  std::deque<Stmt> stmts;
  Body body;
  std::map<std::string, Stmt*> blocks;
  std::vector<std::string> names;  // by interned id
  std::map<std::string, int, std::less<>> nameIds;
  int constants = 0;

  int intern(const std::string& name) {
    const auto [entry, added] = nameIds.try_emplace(name, static_cast<int>(names.size()));
    if (added) names.push_back(name);
    return entry->second;
  }
};

}  // namespace minerva::text::jinja
