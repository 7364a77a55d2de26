import { AnyPrincipal, Effect, PolicyDocument, PolicyStatement } from "aws-cdk-lib/aws-iam";

export interface ResourcePolicyProps {
  readonly vpcEndpointIds: readonly string[];
  /** The calls that need no caller, such as `live/GET/healthz`. */
  readonly openCalls: readonly string[];
}

/**
 * Returns the resource policy of a private API: it denies what comes through no endpoint of the list.
 *
 * It allows nobody. Within an account one allow is enough, of the API or of the caller's policies. An allow here would
 * therefore let every principal of the account call everything
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-authorization-flow.html).
 */
export function resourcePolicy({ vpcEndpointIds, openCalls }: ResourcePolicyProps): PolicyDocument {
  const invoke = { principals: [new AnyPrincipal()], actions: ["execute-api:Invoke"] };
  return new PolicyDocument({
    statements: [
      new PolicyStatement({
        ...invoke,
        effect: Effect.DENY,
        resources: ["execute-api:/*"],
        conditions: { StringNotEquals: { "aws:SourceVpce": [...vpcEndpointIds] } },
      }),
      ...(openCalls.length > 0
        ? [
            new PolicyStatement({
              ...invoke,
              resources: openCalls.map((call) => `execute-api:/${call}`),
            }),
          ]
        : []),
    ],
  });
}
