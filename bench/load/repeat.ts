import type { Api } from "./api.ts";
import { type Holding, type Ledger, textOf } from "./ledger.ts";

/** Repeats a request under the same key, and checks that it returns the same, or that some of it was released. */
export async function repeat(api: Api, ledger: Ledger, holding: Holding): Promise<void> {
  const { call, addresses } = holding;
  const whole = ledger.heldOf(holding).length === addresses.length;
  const { status, body } = await api.assign(call, "assign, repeated");
  const told = status === 200 ? textOf(body.addresses) : body.code;
  const expected = whole ? textOf(addresses) : "already_released";
  if (told !== expected)
    ledger.fail(`${call.key} was repeated: expected ${expected}, was told ${told}`);
  else if (whole) ledger.toldTheSame++;
  else ledger.toldReleased++;
}
