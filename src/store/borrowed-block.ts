import { LOAN_STATES, type Loan } from "../domain/borrowed-block.ts";
import type { Cidr } from "../domain/cidr.ts";
import type { HostId } from "../domain/host.ts";
import { idOf, numberOf, oneOf } from "./attribute.ts";
import { reading } from "./format.ts";
import type { Item } from "./item.ts";
import { hostPk, LOAN_PREFIX, loanKey, unescaped } from "./key.ts";
import { sorted } from "./readable-items.ts";
import { revised } from "./revised-writes.ts";
import type { Table } from "./table.ts";
import { cidrText } from "./text.ts";

/** Loan rows: blocks of others that a host holds slots of. Each method is one call. */
export function loanItems(table: Table) {
  const loans = revised(table, itemFrom, loanFrom);
  return {
    async listLoans(space: string, host: HostId) {
      const items = await table.query(hostPk(space, host), { prefix: LOAN_PREFIX });
      const { read, unreadable } = sorted(items, loanFrom);
      return { loans: read, unreadable };
    },

    /** Writes a loan where there is none, or over the one seen. */
    putLoan: (step: string, loan: Loan, seen: Loan | undefined) =>
      seen ? loans.change(step, seen, loan) : loans.create(step, `${step}-absent`, loan),

    deleteLoan: loans.remove,
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

export const loanFrom = reading((item: Item): Loan => {
  const [, space, host] = item.pk.split("#").map(unescaped);
  return {
    space: space as string,
    host: host as HostId,
    block: blockInKey(item.sk),
    state: oneOf(item, "state", LOAN_STATES),
    revision: idOf(item, "revision"),
    atMs: numberOf(item, "at"),
  };
});

const blockInKey = (sk: string): Cidr => cidrText(sk.slice(LOAN_PREFIX.length));
