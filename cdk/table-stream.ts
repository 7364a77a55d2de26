import { CfnParameter, type Stack, Token } from "aws-cdk-lib";

/** The parameter of a stateless stack that has the stream of its table, if no template has it. */
export const TABLE_STREAM = "TableStream";

/**
 * Adds the parameter to a stack, and returns the ARN that it will have. It has no default, and accepts the streams of
 * this table only. So CloudFormation creates no stack that publishes nothing, and rejects the stream of an earlier table.
 */
export function tableStreamOf(stack: Stack, tableName: string): string {
  const region = known(stack.region, "[a-z0-9-]+");
  const account = known(stack.account, "[0-9]{12}");
  const table = tableName.replaceAll(".", "[.]");
  return new CfnParameter(stack, TABLE_STREAM, {
    description: "The stream of the table. npm run deploy asks DynamoDB for it.",
    allowedPattern: `^arn:aws[a-z-]*:dynamodb:${region}:${account}:table/${table}/stream/.+$`,
    constraintDescription: `must be the ARN of the stream of the table ${tableName}`,
  }).valueAsString;
}

/** Returns a value that is known at synthesis, or else the pattern of all its values. */
const known = (value: string, pattern: string) => (Token.isUnresolved(value) ? pattern : value);
