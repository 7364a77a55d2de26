import type { InferOutput } from "valibot";
import type { Role } from "./deployment.ts";
import type { Statement } from "./iam.ts";
import type { policy, role } from "./properties.ts";

interface Named<Read> {
  readonly name: string;
  readonly read: Read;
}

/** Collects the rights of each role, from its own policies and from those that name it. */
export function rolesOf(
  roles: readonly (Named<InferOutput<typeof role>> & { readonly arn: string })[],
  policies: readonly Named<InferOutput<typeof policy>>[],
) {
  const attached = policies.flatMap(({ read }) =>
    read.Roles.map((roleName) => ({ roleName, statements: read.PolicyDocument.Statement })),
  );
  const byArn = new Map<string, Role>(
    roles.map(({ name, arn, read }) => {
      const inline = read.Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
      const others = attached.filter(({ roleName }) => roleName === name);
      const statements = [...inline, ...others.flatMap((one) => one.statements)];
      return [arn, { name, arn, statements }];
    }),
  );
  /** Roles that only AWS itself uses here, such as for logs. */
  const unknown = new Set(
    roles.filter(({ read }) => read.ManagedPolicyArns.length > 0).map(({ arn }) => arn),
  );
  /** Policies without a role are for callers. */
  const managed = policies.filter(({ read }) => read.Roles.length === 0);
  return {
    policies: new Map<string, readonly Statement[]>(
      managed.map(({ name, read }) => [name, read.PolicyDocument.Statement]),
    ),
    roleOf(arn: string): Role {
      const found = byArn.get(arn);
      if (!found) throw new Error(`there is no role ${arn}`);
      if (unknown.has(arn))
        throw new Error(`the twin knows no policies of AWS' own, as ${arn} has`);
      return found;
    },
  };
}
