/** A statement of a policy, with its intrinsics resolved. */
export interface Statement {
  readonly Effect: "Allow" | "Deny";
  readonly Action?: Several;
  readonly NotAction?: Several;
  readonly Resource?: Several;
  readonly NotResource?: Several;
  /** Values by operator, such as `ForAllValues:StringLike`, and by key, such as `dynamodb:LeadingKeys`. */
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, Several>>>>;
}

/** A request for authorization: action, resource and context. */
export interface AuthorizationRequest {
  /** `dynamodb:GetItem` */
  readonly action: string;
  /** An ARN. */
  readonly resource: string;
  /** Values of condition keys; a key with more than one value has a list. */
  readonly context?: Readonly<Record<string, Several>>;
}

/** A decision. `denied` means that a statement denies it, `not allowed` that no statement allows it. */
export type Decision = "allowed" | "denied" | "not allowed";

type Several = string | readonly string[];

/** The parts of `arn:partition:service:region:account:resource`; the resource can contain colons. */
const ARN_PARTS = 6;

/**
 * Decides as IAM does over the identity-based policies of one caller. An action is denied if a statement denies it, and
 * not allowed if no statement allows it
 * (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html).
 *
 * @throws if it does not know a condition operator or a policy variable, because it cannot decide without them
 */
export function decide(
  statements: readonly Statement[],
  authorizationRequest: AuthorizationRequest,
): Decision {
  for (const text of JSON.stringify(statements).match(/"[^"]*\$\{[^"]*"/g) ?? [])
    throw new Error(`the policy variable in ${text} is not known`);
  const fitting = statements.filter((statement) => applies(statement, authorizationRequest));
  if (fitting.some(({ Effect }) => Effect === "Deny")) return "denied";
  return fitting.length > 0 ? "allowed" : "not allowed";
}

function applies(
  statement: Statement,
  { action, resource, context = {} }: AuthorizationRequest,
): boolean {
  const { Action, NotAction, Resource, NotResource, Condition = {} } = statement;
  // IAM ignores the case of actions, but not that of resources.
  const takes = (pattern: string) => isLike(action.toLowerCase(), pattern.toLowerCase());
  const names = (pattern: string) => isArnLike(resource, pattern);
  return (
    (Action !== undefined ? listOf(Action).some(takes) : !listOf(NotAction).some(takes)) &&
    (Resource !== undefined ? listOf(Resource).some(names) : !listOf(NotResource).some(names)) &&
    Object.entries(Condition).every(([operator, keys]) =>
      Object.entries(keys).every(([key, wanted]) =>
        holds(operator, listOf(wanted), contextValue(context, key)),
      ),
    )
  );
}

/** Compares the value of a request with the value in a policy, as an operator does. */
type Comparison = (value: string, wanted: string) => boolean;

const COMPARISONS: Readonly<Record<string, Comparison>> = {
  StringEquals: (value, wanted) => value === wanted,
  StringEqualsIgnoreCase: (value, wanted) => value.toLowerCase() === wanted.toLowerCase(),
  StringLike: isLike,
  ArnEquals: isArnLike,
  ArnLike: isArnLike,
  Bool: (value, wanted) => value.toLowerCase() === wanted.toLowerCase(),
};

/**
 * Returns true if one line of a condition holds
 * (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-single-vs-multi-valued-context-keys.html).
 */
function holds(operator: string, wanted: readonly string[], value: Several | undefined): boolean {
  const [, quantifier, not, name, ifExists] =
    /^(ForAllValues:|ForAnyValue:)?(?:(String|Arn)Not)?(\w+?)(IfExists)?$/.exec(operator) ?? [];
  if (operator === "Null") return wanted.includes(String(value === undefined));
  const compare = COMPARISONS[`${not ?? ""}${name}`];
  if (!compare) throw new Error(`the condition operator ${operator} is not known`);
  const matches = (one: string) =>
    wanted.some((pattern) => compare(one, pattern)) !== (not !== undefined);
  if (value === undefined)
    return quantifier === "ForAllValues:" || ifExists !== undefined || not !== undefined;
  const values = listOf(value);
  return quantifier === "ForAllValues:" ? values.every(matches) : values.some(matches);
}

/** Returns the value of a condition key. IAM ignores the case of the key. */
function contextValue(
  context: NonNullable<AuthorizationRequest["context"]>,
  key: string,
): Several | undefined {
  const name = Object.keys(context).find((known) => known.toLowerCase() === key.toLowerCase());
  return name === undefined ? undefined : context[name];
}

/** Compares part by part: a `*` matches no colon, except in the last part, or if it is the whole pattern. */
function isArnLike(arn: string, pattern: string): boolean {
  return arnExpression(pattern)?.test(arn) ?? false;
}

/** Matches a text against a pattern: `*` matches any text, `?` any one character. */
function isLike(text: string, pattern: string): boolean {
  return textExpression(pattern).test(text);
}

const textExpression = remembered((pattern) => new RegExp(`^${source(pattern, ".")}$`, "s"));

/** Returns undefined for a pattern that has too few parts to match an ARN. */
const arnExpression = remembered((pattern) => {
  if (pattern === "*") return /^/;
  const parts = pattern.split(":");
  if (parts.length < ARN_PARTS) return undefined;
  const before = parts.slice(0, ARN_PARTS - 1).map((part) => `${source(part, "[^:]")}:`);
  const resource = source(parts.slice(ARN_PARTS - 1).join(":"), ".");
  return new RegExp(`^${before.join("")}${resource}$`, "s");
});

/** Returns the source of a regular expression, in which a wildcard stands for the characters of a class. */
function source(pattern: string, any: string): string {
  return pattern
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replaceAll("*", `${any}*`)
    .replaceAll("?", any);
}

/** Makes each expression once: a deployment has few patterns, and every request meets all of them. */
function remembered<Expression>(make: (pattern: string) => Expression) {
  const made = new Map<string, Expression>();
  return (pattern: string): Expression => {
    const known = made.get(pattern);
    if (known !== undefined) return known;
    const expression = make(pattern);
    made.set(pattern, expression);
    return expression;
  };
}

function listOf(values: Several | undefined): readonly string[] {
  return values === undefined ? [] : [values].flat();
}
