import { Acting } from "../acts/acting.tsx";
import { actsOn } from "../acts/addresses.tsx";
import { segment } from "../api/api.ts";
import type { AddressRead } from "../api/types.ts";
import { useApi } from "../api/use-api.tsx";
import { useLoad } from "../api/use-load.ts";
import { Facts } from "../parts/facts.tsx";
import { Head } from "../parts/head.tsx";
import { History } from "../parts/history.tsx";
import { Id } from "../parts/id.tsx";
import { Moment } from "../parts/moment.tsx";
import { Shown } from "../parts/shown.tsx";
import { State } from "../parts/state.tsx";
import { Named } from "../parts/to.tsx";
import { useNavigation } from "../state/navigation.tsx";

/** An address: its state, who has it and until when, and who had it before. */
export function AddressPage({ name }: { readonly name: string }) {
  const api = useApi();
  const { space } = useNavigation().place;
  const loaded = useLoad<AddressRead>({ key: `${space} ${name}` }, (signal) =>
    api.get(`addresses/${segment(name)}`, {}, signal),
  );
  return (
    <>
      <Head kind="Address" title={name} loaded={loaded} />
      <Shown loaded={loaded} what={`the address ${name}`}>
        {(address) => (
          <>
            <p class="under">
              <State state={address.state} />
              {address.borrowed && <State state="borrowed" />}
            </p>
            <Acting acts={actsOn(api, address)} reload={loaded.reload} />
            <div class="beside">
              <div class="details">
                <Facts
                  facts={[
                    ["Handle", address.handle && <Named kind="handle" name={address.handle} />],
                    ["Host", address.host && <Named kind="host" name={address.host} />],
                    ["Block", <Named key="b" kind="block" name={address.block} />],
                    ["Pool", <Named key="p" kind="pool" name={address.pool} />],
                    ["Prefix", address.prefix],
                    ["Interface", address.interface],
                    ["Workload", address.workload && workloadText(address.workload)],
                    ["Assigned", address.assignedAt && <Moment at={address.assignedAt} />],
                    ["Assigned by", address.assignedBy],
                    ["Lease ends", address.expiresAt && <Moment at={address.expiresAt} />],
                    [
                      "In quarantine until",
                      address.quarantinedUntil && <Moment at={address.quarantinedUntil} />,
                    ],
                    ["Free again", address.availableAt && <Moment at={address.availableAt} />],
                    [
                      "Generation",
                      address.generation && <Id what="generation" id={address.generation} />,
                    ],
                  ]}
                />
                <Owners address={address} />
              </div>
              <div>
                <History
                  path={`addresses/${segment(name)}/history`}
                  turn={loaded.at?.getTime() ?? 0}
                />
              </div>
            </div>
          </>
        )}
      </Shown>
    </>
  );
}

const workloadText = ({ namespace, kind, instance, uid }: NonNullable<AddressRead["workload"]>) =>
  `${kind} ${namespace}/${instance}, uid ${uid}`;

/** The attributes of the request, which are the active owner until that changes, and the owners. */
function Owners({ address: { attributes, owner } }: { readonly address: AddressRead }) {
  const isOne = owner?.active !== undefined && isSame(attributes ?? {}, owner.active);
  return (
    <>
      <Attributes
        title={isOne ? "Attributes and active owner" : "Attributes"}
        attributes={attributes}
      />
      {!isOne && <Attributes title="Active owner" attributes={owner?.active} />}
      <Attributes title="Alternate owner" attributes={owner?.alternate} />
    </>
  );
}

type Pairs = Readonly<Record<string, string>>;

const isSame = (a: Pairs, b: Pairs): boolean =>
  Object.keys(a).length === Object.keys(b).length &&
  Object.entries(a).every(([name, value]) => b[name] === value);

function Attributes(props: { readonly title: string; readonly attributes: Pairs | undefined }) {
  const entries = Object.entries(props.attributes ?? {});
  if (entries.length === 0) return null;
  return (
    <>
      <h2>{props.title}</h2>
      <Facts facts={entries} />
    </>
  );
}
