#include "core/text/template/syntax/parser.h"

namespace minerva::text::jinja {
namespace {

// Context of a node. Inside a condition, Jinja reports an unknown filter only when it is executed.
struct Place {
  bool conditional = false;
  bool inLoop = false;
};

class Checker {
 public:
  void body(const Body& statements, Place place) {
    for (const Stmt* statement : statements) check(*statement, place);
  }

 private:
  void check(const Stmt& statement, Place place) {
    if ((statement.kind == StmtKind::breakLoop || statement.kind == StmtKind::continueLoop) && !place.inLoop)
      raise(statement.kind == StmtKind::breakLoop ? "'break' outside loop" : "'continue' not properly in loop", statement.position);
    Place inner{false, place.inLoop};
    if (statement.kind == StmtKind::ifs) {
      inner = place;
      inner.conditional = true;
    } else if (statement.kind == StmtKind::autoescape) {
      inner = place;
    }
    if (statement.kind == StmtKind::macro || statement.kind == StmtKind::callBlock || statement.kind == StmtKind::block ||
        statement.kind == StmtKind::scope)
      inner.inLoop = false;
    for (const Expr* expr : statement.exprs) check(expr, statement.kind == StmtKind::ifs ? inner : place);
    check(statement.value, place);
    check(statement.condition, inner);
    for (const Parameter& parameter : statement.signature.parameters) check(parameter.fallback, inner);
    for (const Body& branch : statement.branches) body(branch, inner);
    body(statement.otherwise, inner);
    if (statement.kind == StmtKind::forLoop) inner.inLoop = true;
    body(statement.body, inner);
  }

  // Long chains nest to the left, so the left side is a loop; the parser limits the depth of the right sides.
  void check(const Expr* expr, Place place) {
    while (expr) {
      if (expr->kind == ExprKind::conditional) place.conditional = true;
      if (!place.conditional) {
        if (expr->kind == ExprKind::filter && !expr->filter) raise("No filter named '" + expr->text + "'.", expr->position);
        if (expr->kind == ExprKind::test && !expr->test) raise("No test named '" + expr->text + "'.", expr->position);
      }
      for (const Expr* item : expr->items) check(item, place);
      for (const auto& [name, value] : expr->keywords) check(value, place);
      check(expr->dynamicArguments, place);
      check(expr->dynamicKeywords, place);
      check(expr->b, place);
      check(expr->c, place);
      expr = expr->a;
    }
  }
};

}  // namespace

void checkProgram(const Program& program) { Checker().body(program.body, {}); }

}  // namespace minerva::text::jinja
