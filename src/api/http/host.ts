import { affinityTypeOf, type HostId, hostName } from "../../kernel/values/host.ts";

/** Returns a host as answers name it. */
export const hostBody = (host: HostId) => ({
  host: hostName(host),
  affinityType: affinityTypeOf(host),
});
