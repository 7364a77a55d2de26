import type { Cidr } from "../domain/cidr.ts";
import type { HostId } from "../domain/host.ts";
import type { Loan } from "../domain/loan.ts";
import type { Outcome } from "../domain/outcome.ts";
import { absent, equals } from "./clause.ts";
import { hostPk, LOAN_PREFIX, loanKey, unescaped } from "./key.ts";
import { withItem } from "./outcome.ts";
import type { Item, Table } from "./table.ts";
import { cidrText } from "./text.ts";

/** Loan rows: blocks of others that a host holds slots of. Each method is one call. */
export function loanItems(table: Table) {
  return {
    async listLoans(space: string, host: HostId): Promise<readonly Loan[]> {
      return (await table.query(hostPk(space, host), { prefix: LOAN_PREFIX })).map(loanFrom);
    },

    /** Writes a loan where there is none, or over the one seen. */
    async putLoan(step: string, loan: Loan, seen: Loan | undefined): Promise<Outcome<Loan>> {
      const item = itemFrom(loan);
      const when = seen
        ? equals(`${step}-rev`, seen.revision, "revision")
        : absent(`${step}-absent`, "pk");
      return withItem(
        await table.write({ step, key: item, when: [when], change: { kind: "put", item } }),
        loanFrom,
      );
    },

    async deleteLoan(step: string, seen: Loan): Promise<void> {
      await table.write({
        step,
        key: itemFrom(seen),
        when: [equals(`${step}-rev`, seen.revision, "revision")],
        change: { kind: "delete" },
      });
    },
  };
}

function itemFrom(loan: Loan): Item {
  return {
    ...loanKey(loan.space, loan.host, loan.block),
    state: loan.state,
    revision: loan.revision,
    at: loan.atMs,
  };
}

export function loanFrom(item: Item): Loan {
  const [, space, host] = item.pk.split("#").map(unescaped);
  return {
    space: space as string,
    host: host as HostId,
    block: blockInKey(item.sk),
    state: item.state as Loan["state"],
    revision: item.revision as string,
    atMs: item.at as number,
  };
}

const blockInKey = (sk: string): Cidr => cidrText(sk.slice(LOAN_PREFIX.length));
