/** A statement of a policy, as a template has it once its intrinsics are resolved. */
export interface Statement {
  readonly Effect: "Allow" | "Deny";
  readonly Action?: Several;
  readonly NotAction?: Several;
  readonly Resource?: Several;
  readonly NotResource?: Several;
  /** By operator, such as `ForAllValues:StringLike`, then by key, such as `dynamodb:LeadingKeys`. */
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

/** Denied by a statement that says so, or for want of one that allows it. */
export type Decision = "allowed" | "denied" | "not allowed";

type Several = string | readonly string[];

/** `arn:partition:service:region:account:resource`; the last has colons of its own. */
const ARN_PARTS = 6;

/**
 * Decides as IAM does over the identity-based policies of one caller: what a statement denies is denied, and what none
 * allows is not allowed (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html).
 *
 * @throws on a condition operator or a policy variable that is not known here, rather than to decide without it
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
  // Actions are the same in upper and lower case; resources are not.
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

/** Tells whether two texts are as an operator wants them: what the request says, and what the policy says. */
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
 * Does one line of a condition hold?
 * (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-single-vs-multi-valued-context-keys.html)
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

/** Condition keys are the same in upper and lower case. */
function contextValue(
  context: NonNullable<AuthorizationRequest["context"]>,
  key: string,
): Several | undefined {
  const name = Object.keys(context).find((known) => known.toLowerCase() === key.toLowerCase());
  return name === undefined ? undefined : context[name];
}

/** Part by part: a `*` stands for nothing beyond its colon, but for `*` alone, and in the last part. */
function isArnLike(arn: string, pattern: string): boolean {
  if (pattern === "*") return true;
  const wanted = partsOf(pattern);
  return (
    wanted.length === ARN_PARTS && partsOf(arn).every((part, i) => isLike(part, wanted[i] ?? ""))
  );
}

function partsOf(arn: string): readonly string[] {
  const parts = arn.split(":");
  return [...parts.slice(0, ARN_PARTS - 1), parts.slice(ARN_PARTS - 1).join(":")];
}

/** `*` stands for any text, `?` for any one character. */
function isLike(text: string, pattern: string): boolean {
  const expression = pattern
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  return new RegExp(`^${expression}$`, "s").test(text);
}

function listOf(values: Several | undefined): readonly string[] {
  return values === undefined ? [] : [values].flat();
}
