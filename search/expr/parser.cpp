// SPDX-License-Identifier: Apache-2.0
#include "parser.hpp"

#include <algorithm>

namespace kerntune::expr::detail {
namespace {

constexpr std::size_t kMaxNesting = 200;

std::string found(const Token& token) { return token.kind == Token::Kind::end ? "the end" : quoted(token.text); }

Op product_operator(const Token& token) {
  if (token.is("*")) {
    return Op::multiply;
  }
  return token.is("/") ? Op::divide : token.is("//") ? Op::floor_divide : Op::modulo;
}

}  // namespace

// Bounds the recursion of the parser, and with it the stack that it needs.
class Parser::Nested {
 public:
  explicit Nested(Parser& parser) : parser_(parser) {
    if (++parser_.nesting_ > kMaxNesting) {
      parser_.fail_here("nested deeper than 200 levels; split the expression");
    }
  }
  ~Nested() { --parser_.nesting_; }
  Nested(const Nested&) = delete;
  Nested& operator=(const Nested&) = delete;

 private:
  Parser& parser_;
};

Parser::Parser(Program& program, const Symbols& symbols)
    : text_(program.text), symbols_(symbols), emit_(program), lexer_(program.text) {
  token_ = lexer_.next();
  ahead_ = lexer_.next();
}

void Parser::parse() {
  if (token_.kind == Token::Kind::end) {
    fail_here("empty expression");
  }
  expression();
  if (token_.is(",")) {
    fail_here("a tuple can only stand after 'in'");
  }
  if (token_.kind != Token::Kind::end) {
    fail_here("expected an operator, found " + quoted(token_.text));
  }
}

bool Parser::expression() {
  const Nested nested(*this);
  const std::size_t first = emit_.size();
  const bool constant = disjunction();
  return token_.is("if") ? conditional(first, constant) : constant;
}

// The text reads `value if condition else other`; the code runs the condition first.
bool Parser::conditional(std::size_t first, bool constant) {
  const std::uint32_t offset = here();
  advance();
  const std::size_t condition = emit_.size();
  constant = disjunction() && constant;
  const std::size_t to_other = emit_.condition_first(first, condition, offset);
  const std::size_t to_end = emit_.jump(Op::jump, offset);
  emit_.land(to_other);
  expect("else", "the other value of the conditional");
  constant = expression() && constant;
  emit_.land(to_end);
  return emit_.fold(first, constant);
}

bool Parser::disjunction() {
  const std::size_t first = emit_.size();
  bool constant = conjunction();
  while (token_.is("or")) {
    const std::size_t jump = emit_.jump(Op::or_keep, here());
    advance();
    constant = conjunction() && constant;
    emit_.land(jump);
  }
  return emit_.fold(first, constant);
}

bool Parser::conjunction() {
  const std::size_t first = emit_.size();
  bool constant = negation();
  while (token_.is("and")) {
    const std::size_t jump = emit_.jump(Op::and_keep, here());
    advance();
    constant = negation() && constant;
    emit_.land(jump);
  }
  return emit_.fold(first, constant);
}

bool Parser::negation() {
  if (!token_.is("not")) {
    return comparison();
  }
  const Nested nested(*this);
  const std::size_t first = emit_.size();
  const std::uint32_t begin = here();
  advance();
  const bool constant = negation();
  return operation(Op::logical_not, first, {begin, begin, behind()}, constant);
}

std::optional<Op> Parser::comparison_operator() const {
  static constexpr std::pair<std::string_view, Op> kOperators[] = {{"==", Op::equal},  {"!=", Op::not_equal},
                                                                   {"<", Op::less},    {"<=", Op::less_equal},
                                                                   {">", Op::greater}, {">=", Op::greater_equal}};
  for (const auto& [written, op] : kOperators) {
    if (token_.is(written)) {
      return op;
    }
  }
  return std::nullopt;
}

// a < b < c: every link but the last keeps its right operand for the next one, or jumps to the end with False.
bool Parser::comparison() {
  const std::size_t first = emit_.size();
  std::uint32_t begin = here();
  bool constant = sum();
  std::vector<std::size_t> exits;
  while (const auto op = comparison_operator()) {
    const std::uint32_t offset = here();
    advance();
    const std::uint32_t right = here();
    constant = sum() && constant;
    emit_.note({offset, begin, behind()});
    begin = right;
    if (comparison_operator() || at_membership()) {
      exits.push_back(emit_.jump(Op::chain, offset, *op));
    } else {
      emit_.operation(*op, offset);
    }
  }
  if (at_membership()) {
    constant = membership(constant);
  }
  refuse_what_follows_a_comparison();
  std::ranges::for_each(exits, [this](std::size_t jump) { emit_.land(jump); });
  return emit_.fold(first, constant);
}

void Parser::refuse_what_follows_a_comparison() const {
  if (token_.is("is")) {
    fail_here("'is' is not supported; write == or !=");
  }
  if (comparison_operator() || at_membership()) {
    fail_here("a tuple or list cannot be compared; put the 'in' part in parentheses");
  }
}

bool Parser::membership(bool constant) {
  const std::uint32_t offset = here();
  const bool negated = token_.is("not");
  if (negated) {
    advance();
  }
  advance();
  emit_.constant(Value(false), offset);
  constant = list(offset) && constant;
  emit_.operation(Op::member_end, offset);
  if (negated) {
    emit_.operation(Op::logical_not, offset);
  }
  return constant;
}

// As in Python all elements are evaluated, also those after a match.
bool Parser::list(std::uint32_t offset) {
  const std::uint32_t begin = here();
  const bool tuple = token_.is("(");
  if (!tuple && !token_.is("[")) {
    fail_here("'in' needs a tuple (1, 2) or a list [1, 2] on its right");
  }
  const std::string_view close = tuple ? ")" : "]";
  advance();
  bool constant = true;
  bool comma = true;
  std::size_t count = 0;
  for (; !token_.is(close) && comma; ++count) {
    constant = expression() && constant;
    emit_.operation(Op::member, offset);
    comma = token_.is(",");
    if (comma) {
      advance();
    }
  }
  expect(close, "the end of the list after 'in'");
  if (tuple && count == 1 && !comma) {
    fail("'in' needs a tuple: write (1,) with a comma, or a list [1]", begin, behind_ - begin);
  }
  return constant;
}

bool Parser::sum() {
  const std::size_t first = emit_.size();
  const std::uint32_t begin = here();
  bool constant = product();
  while (token_.is("+") || token_.is("-")) {
    const Op op = token_.is("+") ? Op::add : Op::subtract;
    const std::uint32_t offset = here();
    advance();
    constant = product() && constant;
    constant = operation(op, first, {offset, begin, behind()}, constant);
  }
  return constant;
}

bool Parser::product() {
  const std::size_t first = emit_.size();
  const std::uint32_t begin = here();
  bool constant = signed_factor();
  while (token_.is("*") || token_.is("/") || token_.is("//") || token_.is("%")) {
    const Op op = product_operator(token_);
    const std::uint32_t offset = here();
    advance();
    constant = signed_factor() && constant;
    constant = operation(op, first, {offset, begin, behind()}, constant);
  }
  return constant;
}

bool Parser::signed_factor() {
  if (!token_.is("-") && !token_.is("+")) {
    return power();
  }
  const Nested nested(*this);
  const Op op = token_.is("-") ? Op::negate : Op::plus;
  const std::size_t first = emit_.size();
  const std::uint32_t begin = here();
  advance();
  // -2**2 is -(2**2); otherwise the sign belongs to the literal, or -2^63 could not be written.
  if (op == Op::negate && token_.kind == Token::Kind::integer && !ahead_.is("**")) {
    return integer(true);
  }
  const bool constant = signed_factor();
  return operation(op, first, {begin, begin, behind()}, constant);
}

bool Parser::power() {
  const std::size_t first = emit_.size();
  const std::uint32_t begin = here();
  const bool constant = atom();
  if (!token_.is("**")) {
    return constant;
  }
  const Nested nested(*this);
  const std::uint32_t offset = here();
  advance();
  const bool both = signed_factor() && constant;
  return operation(Op::power, first, {offset, begin, behind()}, both);
}

bool Parser::atom() {
  switch (token_.kind) {
    case Token::Kind::integer:
      return integer(false);
    case Token::Kind::real:
      emit_.constant(Value(token_.real), here());
      break;
    case Token::Kind::string:
      emit_.string(token_.string, here());
      break;
    case Token::Kind::name:
      return ahead_.is("(") && !is_keyword(token_.text) ? call() : name();
    default:
      return parenthesised();
  }
  advance();
  return true;
}

bool Parser::parenthesised() {
  if (token_.is("[")) {
    fail_here("a list can only stand after 'in'");
  }
  if (!token_.is("(")) {
    fail_here("expected a value, found " + found(token_));
  }
  advance();
  const bool constant = expression();
  if (token_.is(",")) {
    fail_here("a tuple can only stand after 'in'");
  }
  expect(")", "the end of the parentheses");
  return constant;
}

bool Parser::integer(bool negative) {
  constexpr std::uint64_t limit = std::uint64_t{1} << 63;
  if (token_.integer == limit && !negative) {
    fail_here("integer does not fit in 64 bits");
  }
  const std::uint64_t bits = negative ? std::uint64_t{0} - token_.integer : token_.integer;
  emit_.constant(Value(static_cast<std::int64_t>(bits)), here());
  advance();
  return true;
}

bool Parser::name() {
  const bool truth = token_.is("True");
  if (truth || token_.is("False")) {
    emit_.constant(Value(truth), here());
    advance();
    return true;
  }
  if (is_keyword(token_.text)) {
    fail_here("expected a value, found " + quoted(token_.text));
  }
  const auto slot = symbols_.find(token_.text);
  if (!slot) {
    fail_here("unknown name " + quoted(token_.text) + "; " + advice_on_unknown_name(token_.text, symbols_));
  }
  emit_.load(*slot, here());
  advance();
  return false;
}

bool Parser::call() {
  const Function* const function = find_function(token_.text);
  if (function == nullptr) {
    fail_here("unknown function " + quoted(token_.text) + "; known functions are " + function_names());
  }
  const std::uint32_t offset = here();
  const std::size_t first = emit_.size();
  advance();
  advance();
  bool constant = true;
  bool comma = true;
  std::size_t count = 0;
  for (; !token_.is(")") && comma; ++count) {
    constant = expression() && constant;
    if (count > 0) {
      emit_.operation(function->op, offset);
    }
    comma = token_.is(",");
    if (comma) {
      advance();
    }
  }
  expect(")", "the end of the arguments");
  check_arity(*function, count, offset);
  if (count == 1) {
    emit_.operation(function->op, offset);
  }
  emit_.note({offset, offset, behind()});
  return emit_.fold(first, constant);
}

void Parser::check_arity(const Function& function, std::size_t count, std::size_t offset) const {
  if (count >= function.min_arguments && count <= function.max_arguments) {
    return;
  }
  const std::string needed = std::to_string(function.min_arguments) + (function.max_arguments > 2 ? " or more arguments"
                                                                       : function.max_arguments == 1 ? " argument"
                                                                                                     : " arguments");
  fail(quoted(function.name) + " needs " + needed + ", found " + std::to_string(count), offset, behind_ - offset);
}

bool Parser::operation(Op op, std::size_t first, const Span& span, bool constant) {
  emit_.operation(op, span.offset);
  emit_.note(span);
  return emit_.fold(first, constant);
}

void Parser::advance() {
  behind_ = token_.end();
  token_ = std::move(ahead_);
  ahead_ = lexer_.next();
}

void Parser::expect(std::string_view symbol, const char* purpose) {
  if (!token_.is(symbol)) {
    fail_here("expected " + quoted(symbol) + " for " + purpose + ", found " + found(token_));
  }
  advance();
}

void Parser::fail(const std::string& message, std::size_t offset, std::size_t length) const {
  throw ExprError(with_caret(message, text_, offset, length), offset);
}

void Parser::fail_here(const std::string& message) const { fail(message, token_.offset, token_.text.size()); }

}  // namespace kerntune::expr::detail
