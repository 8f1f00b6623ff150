// Reads the tokens of a Jinja template into a tree, by the grammar of Python's jinja2. What is left out of that grammar is refused by name.

import { Float, refuse } from "./python-values.js";

/** @typedef {{ type: string, value: string }} Token as @huggingface/jinja's tokenize returns them */
/** @typedef {{ listed: Expression[], named: [string, Expression][] }} Arguments those by position, and those by name, in order */
/** @typedef {{ name: string, args: Arguments }} Applied a filter or a test, and its arguments */
/** @typedef {{ name: string, fallback?: Expression }} Parameter of a macro */
/** @typedef {{ parameters: Parameter[], body: Statement[], uses: ReadonlySet<string> }} MacroBody `uses`: every name that its body reads */
/** @typedef {{ type: "constant", value: import("./python-values.js").Value }
 *   | { type: "name", name: string }
 *   | { type: "list" | "tuple" | "concatenation", items: Expression[] }
 *   | { type: "dict", entries: [Expression, Expression][] }
 *   | { type: "not" | "negative" | "positive", operand: Expression }
 *   | { type: "and" | "or", left: Expression, right: Expression }
 *   | { type: "conditional", test: Expression, yes: Expression, no?: Expression }
 *   | { type: "comparison", first: Expression, rest: { operator: string, operand: Expression }[] }
 *   | { type: "arithmetic", operator: string, left: Expression, right: Expression }
 *   | { type: "attribute", object: Expression, name: string }
 *   | { type: "item", object: Expression, key: Expression }
 *   | { type: "slice", object: Expression, bounds: (Expression | undefined)[] }
 *   | { type: "call", callee: Expression, args: Arguments }
 *   | { type: "filter", operand: Expression, filter: Applied }
 *   | { type: "test", operand: Expression, test: Applied, isNegated: boolean }} Expression */
/** @typedef {{ names: string[] } | { object: string, field: string }} Target of an assignment: variables, several for a tuple; or a field of a namespace */
/** @typedef {{ type: "text", text: string }
 *   | { type: "print", value: Expression }
 *   | { type: "if", test: Expression, body: Statement[], otherwise: Statement[] }
 *   | { type: "for", names: string[], items: Expression, condition?: Expression, body: Statement[], otherwise: Statement[] }
 *   | { type: "set", target: Target, value?: Expression, body: Statement[] }
 *   | { type: "macro", name: string, macro: MacroBody }
 *   | { type: "call block", callee: Expression, args: Arguments, macro: MacroBody }
 *   | { type: "filter block", filters: Applied[], body: Statement[] }
 *   | { type: "break" | "continue" }} Statement */

/** Words that are values. */
const CONSTANTS = new Map([["true", true], ["True", true], ["false", false], ["False", false], ["none", null], ["None", null]]);
/** Kinds of tokens with which the argument of a test without parentheses begins, as in `x is divisibleby 3`. */
const STARTS = new Set(["Identifier", "StringLiteral", "NumericLiteral", "OpenParen", "OpenSquareBracket", "OpenCurlyBracket"]);

/**
 * Read the tokens of a whole template.
 * @param {Token[]} tokens
 * @returns {Statement[]}
 * @throws {Error} where jinja2 would find a syntax error, and for what is not supported, by its name
 */
export function parseTemplate(tokens) {
  return new Parser(tokens).template();
}

/** A cursor in the tokens. Each method reads one construct, from its first token to the one after it, and returns its node. */
class Parser {
  #tokens;
  #at = 0;
  /** How many loops are around the cursor, within the same macro: outside them, nothing can break. */
  #loops = 0;
  /** Every name that was read since the innermost macro began. @type {Set<string>} */
  #names = new Set();

  /** @param {Token[]} tokens */
  constructor(tokens) {
    this.#tokens = tokens.filter(({ type }) => type !== "Comment");
  }

  /**
   * Read statements up to the end of the tokens.
   * @returns {Statement[]}
   * @throws {Error} if a block ends that did not begin
   */
  template() {
    const body = this.#statements();
    if (this.#at < this.#tokens.length) this.#unexpected();
    return body;
  }

  /**
   * Tell whether the next token is of a type and, if one is given, has a value; the cursor stays.
   * @param {string} type
   * @param {string} [value]
   * @param {number} [ahead] how many tokens to skip
   */
  #isNext(type, value, ahead = 0) {
    const token = this.#tokens[this.#at + ahead];
    return token?.type === type && (value === undefined || token.value === value);
  }

  /**
   * Tell whether the next token is this word; the cursor stays.
   * @param {string} word
   * @param {number} [ahead] how many tokens to skip
   */
  #isWord(word, ahead = 0) {
    return this.#isNext("Identifier", word, ahead);
  }

  /**
   * Take the next token if it is of a type and has a value; return whether it was taken.
   * @param {string} type
   * @param {string} [value]
   */
  #skip(type, value) {
    const isThere = this.#isNext(type, value);
    if (isThere) this.#at++;
    return isThere;
  }

  /**
   * Take the next token and return its value.
   * @param {string} type
   * @param {string} [value]
   * @returns {string}
   * @throws {Error} if it is another
   */
  #take(type, value) {
    if (!this.#isNext(type, value)) this.#unexpected();
    return this.#tokens[this.#at++].value;
  }

  /**
   * Reject the next token.
   * @returns {never}
   * @throws {Error} always
   */
  #unexpected() {
    const token = this.#tokens[this.#at];
    throw new Error(token ? `unexpected ${JSON.stringify(token.value)}` : "the template ends too early");
  }

  /**
   * Read statements up to the end, or to the first tag that begins no statement, such as {% else %} or {% endif %}, before which the cursor
   * stays. Text between tags is a statement, and so is what is printed; a `safe` at the end of that is left out.
   * @returns {Statement[]}
   */
  #statements() {
    /** @type {Statement[]} */
    const statements = [];
    while (this.#at < this.#tokens.length) {
      if (this.#isNext("Text")) statements.push({ type: "text", text: this.#take("Text") });
      else if (this.#skip("OpenExpression")) {
        statements.push({ type: "print", value: withoutSafe(this.#tuple()) });
        this.#take("CloseExpression");
      } else if (!this.#isNext("OpenStatement")) this.#unexpected();
      else if (this.#isNext("Identifier", undefined, 1) && /^(end|else$|elif$)/.test(this.#tokens[this.#at + 1].value)) break;
      else {
        this.#at++;
        statements.push(this.#statement(this.#take("Identifier")));
      }
    }
    return statements;
  }

  /**
   * Read the rest of a statement after its word: of a block, up to the end of its last tag.
   * @param {string} word
   * @returns {Statement}
   * @throws {Error} for a statement that is not supported, and for a break or continue outside a loop
   */
  #statement(word) {
    switch (word) {
      case "if":
        return this.#if();
      case "for":
        return this.#for();
      case "set":
        return this.#set();
      case "macro": {
        const name = this.#take("Identifier");
        return { type: "macro", name, macro: this.#macroBody("endmacro", () => this.#parameters()) };
      }
      case "call":
        return this.#callBlock();
      case "filter": {
        const filters = [this.#applied()];
        while (this.#skip("Pipe")) filters.push(this.#applied());
        return { type: "filter block", filters, body: this.#block("endfilter") };
      }
      case "break":
      case "continue":
        if (this.#loops === 0) throw new Error(`${word} outside a loop`);
        this.#take("CloseStatement");
        return { type: word };
      default:
        return refuse(`the statement ${word}`);
    }
  }

  /**
   * Read the end of a tag, a body, and the tag that ends it.
   * @param {string} end its word, such as "endfor"
   * @returns {Statement[]}
   */
  #block(end) {
    this.#take("CloseStatement");
    const body = this.#statements();
    this.#endTag(end);
    return body;
  }

  /** Take a tag that is one word, such as {% endif %}. @param {string} word */
  #endTag(word) {
    this.#take("OpenStatement");
    this.#take("Identifier", word);
    this.#take("CloseStatement");
  }

  /**
   * Take the beginning of a tag, {% and a word, if it is next; return whether it was.
   * @param {string} word
   */
  #skipTag(word) {
    if (!this.#isNext("OpenStatement") || !this.#isWord(word, 1)) return false;
    this.#at += 2;
    return true;
  }

  /**
   * Read an {% else %} and its body, if they are next, and the end of the statement.
   * @param {string} end its word
   * @returns {Statement[]} empty without an else
   */
  #otherwise(end) {
    if (this.#skipTag("else")) return this.#block(end);
    this.#endTag(end);
    return [];
  }

  /**
   * Read an if after its word, up to its {% endif %}: its test, its body, and in `otherwise` the statements of its else; none without one. An
   * elif becomes the one if in `otherwise`.
   * @returns {Statement}
   */
  #if() {
    const test = this.#tuple(false);
    this.#take("CloseStatement");
    const body = this.#statements();
    const otherwise = this.#skipTag("elif") ? [this.#if()] : this.#otherwise("endif");
    return { type: "if", test, body, otherwise };
  }

  /**
   * Read a loop after its word, `for a, b in items if condition`, with its body and its else, up to {% endfor %}.
   * @returns {Statement} with the names a and b, `condition` undefined without an if, and `otherwise` empty without an else
   * @throws {Error} for a recursive loop
   */
  #for() {
    const names = this.#variables();
    this.#take("Identifier", "in");
    const items = this.#tuple(false);
    const condition = this.#skip("Identifier", "if") ? this.#expression() : undefined;
    if (this.#isWord("recursive")) refuse("a recursive loop");
    this.#take("CloseStatement");
    this.#loops++;
    const body = this.#statements();
    this.#loops--;
    return { type: "for", names, items, condition, body, otherwise: this.#otherwise("endfor") };
  }

  /**
   * Read a set after its word: up to the end of its tag, or with a body up to {% endset %}. Its target is one variable or several, or a field
   * of an object.
   * @returns {Statement} with `value` undefined if it has a body, and an empty body otherwise
   * @throws {Error} for a set with a filter
   */
  #set() {
    /** @type {Target} */
    let target;
    if (this.#isNext("Dot", undefined, 1)) {
      const object = this.#readName();
      this.#take("Dot");
      target = { object, field: this.#take("Identifier") };
    } else target = { names: this.#variables() };
    if (this.#skip("Equals")) {
      const value = this.#tuple();
      this.#take("CloseStatement");
      return { type: "set", target, value, body: [] };
    }
    if (this.#isNext("Pipe")) refuse("set with a filter");
    return { type: "set", target, body: this.#block("endset") };
  }

  /**
   * Read a call block after its word, up to its {% endcall %}: parameters, if they stand there in parentheses, the call, and a body that runs
   * as a macro with these parameters.
   * @returns {Statement}
   * @throws {Error} if its expression is no call
   */
  #callBlock() {
    /** @type {Expression | undefined} */
    let call;
    const macro = this.#macroBody("endcall", () => {
      const parameters = this.#isNext("OpenParen") ? this.#parameters() : [];
      call = this.#expression();
      return parameters;
    });
    if (call?.type !== "call") throw new Error("a call block calls nothing");
    return { type: "call block", callee: call.callee, args: call.args, macro };
  }

  /**
   * Read what runs as a macro: its head, its body, and the tag that ends it. Its names and loops are its own.
   * @param {string} end the word of that tag
   * @param {() => Parameter[]} readHead reads what stands before the end of the first tag
   * @returns {MacroBody}
   */
  #macroBody(end, readHead) {
    const [names, loops] = [this.#names, this.#loops];
    [this.#names, this.#loops] = [new Set(), 0];
    const parameters = readHead();
    const body = this.#block(end);
    const uses = this.#names;
    [this.#names, this.#loops] = [new Set([...names, ...uses]), loops];
    return { parameters, body, uses };
  }

  /**
   * Read the parameters of a macro with their parentheses, perhaps none: names, some with a default.
   * @returns {Parameter[]} with `fallback` undefined for none
   * @throws {Error} if one without a default follows one with
   */
  #parameters() {
    /** @type {Parameter[]} */
    const parameters = [];
    this.#take("OpenParen");
    while (!this.#skip("CloseParen")) {
      if (parameters.length > 0) this.#take("Comma");
      const name = this.#take("Identifier");
      const fallback = this.#skip("Equals") ? this.#expression() : undefined;
      if (!fallback && parameters.at(-1)?.fallback) throw new Error(`the parameter ${name} has no default, but the one before it has`);
      parameters.push({ name, fallback });
    }
    return parameters;
  }

  /**
   * Read the variables of an assignment or a loop: one name, or several with commas between, also in parentheses, none of them nested.
   * @returns {string[]} their names, which do not count as read
   */
  #variables() {
    const isEnclosed = this.#skip("OpenParen");
    const names = [this.#take("Identifier")];
    while (this.#skip("Comma")) names.push(this.#take("Identifier"));
    if (isEnclosed) this.#take("CloseParen");
    return names;
  }

  /** Take a word as the name of a variable that is read. @returns {string} */
  #readName() {
    const name = this.#take("Identifier");
    this.#names.add(name);
    return name;
  }

  /**
   * Read one expression, or several with commas between, which are a tuple.
   * @param {boolean} [hasConditions] whether `a if b else c` may stand there: not where an `if` may follow, as in a loop
   * @returns {Expression}
   * @throws {Error} for a comma at the end
   */
  #tuple(hasConditions = true) {
    const items = [hasConditions ? this.#expression() : this.#or()];
    while (this.#skip("Comma")) {
      if (this.#tokens[this.#at]?.type.startsWith("Close")) refuse("a tuple with a comma at its end");
      items.push(hasConditions ? this.#expression() : this.#or());
    }
    return items.length === 1 ? items[0] : { type: "tuple", items };
  }

  /**
   * Read any expression that is no tuple: conditions, `yes if test else no`, bind least; without an else, `no` is undefined.
   * @returns {Expression} a conditional, or its one operand as it is
   */
  #expression() {
    let yes = this.#or();
    while (this.#skip("Identifier", "if")) {
      const test = this.#or();
      yes = { type: "conditional", test, yes, no: this.#skip("Identifier", "else") ? this.#expression() : undefined };
    }
    return yes;
  }

  /** Read operands with `or` between. @returns {Expression} */
  #or() {
    let left = this.#and();
    while (this.#skip("Identifier", "or")) left = { type: "or", left, right: this.#and() };
    return left;
  }

  /** Read operands with `and` between. @returns {Expression} */
  #and() {
    let left = this.#not();
    while (this.#skip("Identifier", "and")) left = { type: "and", left, right: this.#not() };
    return left;
  }

  /** Read an operand of `and`, perhaps after `not`. @returns {Expression} */
  #not() {
    return this.#skip("Identifier", "not") ? { type: "not", operand: this.#not() } : this.#comparison();
  }

  /**
   * Read operands with comparisons between, `in` and `not in` among them: a < b < c means a < b and b < c, as in Python.
   * @returns {Expression} a comparison with the first operand and the rest, each with its operator; a single operand as it is
   */
  #comparison() {
    const first = this.#sum();
    const rest = [];
    for (;;) {
      if (this.#isNext("ComparisonBinaryOperator")) rest.push({ operator: this.#take("ComparisonBinaryOperator"), operand: this.#sum() });
      else if (this.#skip("Identifier", "in")) rest.push({ operator: "in", operand: this.#sum() });
      else if (this.#isWord("not") && this.#isWord("in", 1)) {
        this.#at += 2;
        rest.push({ operator: "not in", operand: this.#sum() });
      } else return rest.length === 0 ? first : { type: "comparison", first, rest };
    }
  }

  /**
   * Read operands with + or - between, which group from the left.
   * @returns {Expression} an arithmetic of two operands, the left one perhaps another; a single operand as it is
   */
  #sum() {
    let left = this.#concatenation();
    while (this.#isNext("AdditiveBinaryOperator")) {
      const operator = this.#take("AdditiveBinaryOperator");
      left = { type: "arithmetic", operator, left, right: this.#concatenation() };
    }
    return left;
  }

  /** Read operands with ~ between, which binds more than +. @returns {Expression} */
  #concatenation() {
    const items = [this.#product()];
    while (this.#skip("AdditiveBinaryOperator", "~")) items.push(this.#product());
    return items.length === 1 ? items[0] : { type: "concatenation", items };
  }

  /**
   * Read operands with *, /, // or % between, which group from the left.
   * @returns {Expression} an arithmetic of two operands, the left one perhaps another; a single operand as it is
   */
  #product() {
    let left = this.#power();
    while (this.#isNext("MultiplicativeBinaryOperator")) {
      const operator = this.#take("MultiplicativeBinaryOperator");
      left = { type: "arithmetic", operator, left, right: this.#power() };
    }
    return left;
  }

  /** Read operands with ** between, from left to right, unlike in Python itself. @returns {Expression} */
  #power() {
    let left = this.#signed();
    while (this.#skip("ExponentiationBinaryOperator")) left = { type: "arithmetic", operator: "**", left, right: this.#signed() };
    return left;
  }

  /**
   * Read an operand with its signs, its fields and calls, its filters and tests, each of which wraps what stands before it.
   * @param {boolean} [hasFilters] whether filters and tests belong to it: after a sign they belong to the operand with the sign
   * @returns {Expression}
   */
  #signed(hasFilters = true) {
    /** @type {Expression} */
    let operand;
    if (this.#skipSign("-")) operand = { type: "negative", operand: this.#signed(false) };
    else if (this.#skipSign("+")) operand = { type: "positive", operand: this.#signed(false) };
    else operand = this.#postfixed(this.#primary());
    while (hasFilters) {
      if (this.#skip("Pipe")) operand = { type: "filter", operand, filter: this.#applied() };
      else if (this.#skip("Identifier", "is")) operand = this.#test(operand);
      else if (this.#isNext("OpenParen")) operand = this.#postfixed(operand);
      else break;
    }
    return operand;
  }

  /**
   * Take a sign, for which tokens have two types, if it is next; return whether it was.
   * @param {string} sign
   */
  #skipSign(sign) {
    return this.#skip("UnaryOperator", sign) || this.#skip("AdditiveBinaryOperator", sign);
  }

  /**
   * Read a test after its `is`: perhaps `not`, its name, and arguments in parentheses, or one without them.
   * @param {Expression} operand what is tested
   * @returns {Expression} a test of the operand
   */
  #test(operand) {
    const isNegated = this.#skip("Identifier", "not");
    const test = this.#applied();
    const next = this.#tokens[this.#at];
    const isArgument = next && STARTS.has(next.type) && !(next.type === "Identifier" && /^(else|or|and|is)$/.test(next.value));
    if (isArgument && test.args.listed.length === 0) test.args.listed.push(this.#postfixed(this.#primary()));
    return { type: "test", operand, test, isNegated };
  }

  /** Read the name of a filter or test, and arguments if they follow in parentheses. @returns {Applied} */
  #applied() {
    const name = this.#take("Identifier");
    return { name, args: this.#isNext("OpenParen") ? this.#arguments() : { listed: [], named: [] } };
  }

  /**
   * Read arguments with their parentheses, perhaps none; a comma may stand at their end.
   * @returns {Arguments} those by position in `listed`; pairs of a name and a value in `named`
   * @throws {Error} for * and **, and for one by position after one by name
   */
  #arguments() {
    /** @type {Arguments} */
    const args = { listed: [], named: [] };
    let isFirst = true;
    this.#take("OpenParen");
    while (!this.#skip("CloseParen")) {
      if (!isFirst) {
        this.#take("Comma");
        if (this.#skip("CloseParen")) break;
      }
      isFirst = false;
      if (this.#isNext("MultiplicativeBinaryOperator") || this.#isNext("ExponentiationBinaryOperator")) refuse("a call with * or **");
      if (this.#isNext("Identifier") && this.#isNext("Equals", undefined, 1)) {
        const name = this.#take("Identifier");
        this.#take("Equals");
        args.named.push([name, this.#expression()]);
      } else if (args.named.length > 0) throw new Error("an argument without a name follows one with a name");
      else args.listed.push(this.#expression());
    }
    return args;
  }

  /**
   * Read the fields, items, slices and calls that follow an object, each of which is of all that stands before it. A number after a dot is the
   * key of an item.
   * @param {Expression} object
   * @returns {Expression} the object as it is if none follows
   */
  #postfixed(object) {
    for (;;) {
      if (this.#skip("Dot")) {
        if (this.#isNext("NumericLiteral")) object = { type: "item", object, key: this.#number() };
        else object = { type: "attribute", object, name: this.#take("Identifier") };
      } else if (this.#skip("OpenSquareBracket")) object = this.#subscript(object);
      else if (this.#isNext("OpenParen")) object = { type: "call", callee: object, args: this.#arguments() };
      else return object;
    }
  }

  /**
   * Read what stands in square brackets after an object: a key, or the bounds of a slice. The "[" has been read; the "]" is read here.
   * @param {Expression} object
   * @returns {Expression} an item, or a slice if there is a colon
   * @throws {Error} for an empty subscript, more than three bounds, or anything that is not expected there
   */
  #subscript(object) {
    /** @type {(Expression | undefined)[]} */
    const bounds = [];
    let [isSlice, bound] = [false, /** @type {Expression | undefined} */ (undefined)];
    while (!this.#skip("CloseSquareBracket")) {
      if (this.#skip("Colon")) {
        bounds.push(bound);
        [isSlice, bound] = [true, undefined];
      } else if (bound === undefined) bound = this.#expression();
      else this.#unexpected();
    }
    bounds.push(bound);
    if (bounds.length > 3) throw new Error("a slice has more than three bounds");
    if (isSlice) return { type: "slice", object, bounds };
    return bound ? { type: "item", object, key: bound } : refuse("an empty subscript");
  }

  /**
   * Read a name, a literal, or an expression in parentheses. Literals are numbers, texts (neighbouring ones are one), the words for true,
   * false and none, lists and dicts; parentheses hold an expression or a tuple, perhaps an empty one.
   * @returns {Expression}
   * @throws {Error} if the next token begins none of these
   */
  #primary() {
    if (this.#isNext("NumericLiteral")) return this.#number();
    if (this.#isNext("StringLiteral")) {
      let value = "";
      while (this.#isNext("StringLiteral")) value += this.#take("StringLiteral"); // neighbours are one text, as in Python
      return { type: "constant", value };
    }
    if (this.#isNext("Identifier")) {
      const name = this.#readName();
      return CONSTANTS.has(name) ? { type: "constant", value: CONSTANTS.get(name) } : { type: "name", name };
    }
    if (this.#skip("OpenParen")) {
      /** @type {Expression} */
      const inner = this.#isNext("CloseParen") ? { type: "tuple", items: [] } : this.#tuple();
      this.#take("CloseParen");
      return inner;
    }
    if (this.#skip("OpenSquareBracket")) return { type: "list", items: this.#separated("CloseSquareBracket", () => this.#expression()) };
    this.#take("OpenCurlyBracket");
    /** Read a key, a colon and a value. @returns {[Expression, Expression]} */
    const readEntry = () => {
      const key = this.#expression();
      this.#take("Colon");
      return [key, this.#expression()];
    };
    return { type: "dict", entries: this.#separated("CloseCurlyBracket", readEntry) };
  }

  /** Read a number: with a point a float, otherwise an int. @returns {Expression} */
  #number() {
    const digits = this.#take("NumericLiteral");
    return { type: "constant", value: digits.includes(".") ? new Float(Number(digits)) : Number(digits) };
  }

  /**
   * Read items with commas between, perhaps one at the end, up to a closing bracket, and pass that.
   * @template T
   * @param {string} close the bracket's type
   * @param {() => T} readItem
   * @returns {T[]}
   */
  #separated(close, readItem) {
    /** @type {T[]} */
    const items = [];
    while (!this.#skip(close)) {
      if (items.length > 0) {
        this.#take("Comma");
        if (this.#skip(close)) break;
      }
      items.push(readItem());
    }
    return items;
  }
}

/**
 * Return what is printed without `| safe` at its end, which changes nothing there; elsewhere it makes jinja2's Markup, which is refused.
 * @param {Expression} value
 * @returns {Expression}
 */
function withoutSafe(value) {
  const isSafe = value.type === "filter" && value.filter.name === "safe" && value.filter.args.listed.length === 0;
  return isSafe ? withoutSafe(value.operand) : value;
}
