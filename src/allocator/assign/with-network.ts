import { NETWORK_CHARACTERS_PER_ANSWER } from "../../domain/limits.ts";
import { networksOf } from "../../domain/network-of-pool.ts";
import type { Pool } from "../../domain/pool.ts";
import { longCharactersOf } from "../../domain/pool-network.ts";
import type { AssignedAddress, Assignment, AssignRequest } from "./assignment.ts";
import { interfacesOf } from "./interfaces.ts";

/**
 * Adds to each address of an answer the network of its pool as it is now, without the gateway if its interface needs none. An
 * answer that would be too large has no routes and labels, and says so.
 */
export function withNetwork(
  pools: readonly Pool[] = [],
  answered: Assignment,
  request: AssignRequest,
): Assignment {
  const clean = interfacesOf(request).filter(({ cleanGateway }) => cleanGateway);
  const networkOf = networksOf(pools);
  const addresses = answered.addresses.map((each): AssignedAddress => {
    const { network } = networkOf(each.pool);
    const isClean = clean.some((one) => one.interface === each.interface);
    if (!network || !isClean) return { ...each, ...(network && { network }) };
    const { gateway: _, ...rest } = network;
    return { ...each, network: rest };
  });
  const characters = addresses.reduce(
    (sum, { network }) => sum + (network ? longCharactersOf(network) : 0),
    0,
  );
  if (characters <= NETWORK_CHARACTERS_PER_ANSWER) return { ...answered, addresses };
  return {
    ...answered,
    addresses: addresses.map(withoutLong),
    messages: [...answered.messages, LEFT_OUT],
  };
}

const LEFT_OUT =
  "The answer has no routes and labels of pools, because it has too many addresses; a read of the handle has them.";

const withoutLong = ({ network, ...each }: AssignedAddress): AssignedAddress => {
  if (!network) return each;
  const { routes: _, labels: __, ...rest } = network;
  return { ...each, network: rest };
};
