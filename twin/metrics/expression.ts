/** A value of an expression: a number, or nothing where there is no data. */
type Value = number | undefined;

/**
 * Evaluates a metric math expression, of which it knows numbers, names, `+ - * /`, `>=`, `IF` and `FILL` with a number
 * (https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html). An operation without data has
 * no data.
 *
 * @throws {Error} for anything else
 */
export function evaluate(expression: string, values: Readonly<Record<string, Value>>): Value {
  const tokens = expression.match(/[A-Za-z_]\w*|\d+(?:\.\d+)?|>=|[-+*/(),]|\S/g) ?? [];
  let at = 0;
  const isNext = (token: string) => tokens[at] === token;
  const expect = (token: string) => {
    if (tokens[at++] !== token)
      throw new Error(`"${expression}" has no "${token}" where it should`);
  };
  const binary = (operators: Readonly<Record<string, Operator>>, operand: () => Value) => () => {
    let left = operand();
    for (let token = tokens[at] ?? ""; Object.hasOwn(operators, token); token = tokens[at] ?? "") {
      at++;
      const right = operand();
      left =
        left === undefined || right === undefined ? undefined : operators[token]?.(left, right);
    }
    return left;
  };
  const product = binary(PRODUCT, operand);
  const sum = binary(SUM, product);
  const comparison = binary(COMPARISON, sum);

  function operand(): Value {
    const token = tokens[at++] ?? "";
    if (/^\d/.test(token)) return Number(token);
    if (token === "(") {
      const inner = comparison();
      expect(")");
      return inner;
    }
    if (isNext("(")) return called(token);
    if (!Object.hasOwn(values, token)) throw new Error(`"${expression}" has "${token}"`);
    return values[token];
  }

  function called(name: string): Value {
    const operands: Value[] = [];
    do {
      at++;
      operands.push(comparison());
    } while (isNext(","));
    expect(")");
    const [first, second, third] = operands;
    if (name === "FILL") return first ?? second;
    if (name === "IF") return first === undefined ? undefined : first ? second : third;
    throw new Error(`"${expression}" calls "${name}"`);
  }

  const value = comparison();
  if (at < tokens.length) throw new Error(`"${expression}" has "${tokens[at]}"`);
  return value;
}

type Operator = (left: number, right: number) => number;

const PRODUCT: Readonly<Record<string, Operator>> = {
  "*": (left, right) => left * right,
  "/": (left, right) => left / right,
};
const SUM: Readonly<Record<string, Operator>> = {
  "+": (left, right) => left + right,
  "-": (left, right) => left - right,
};
const COMPARISON: Readonly<Record<string, Operator>> = {
  ">=": (left, right) => Number(left >= right),
};
