import { SETTINGS } from "../../../src/nouns/settings/contract/request.ts";
import { Acting } from "../acts/acting.tsx";
import { meaningOf, titleOf, valueText } from "../acts/declared.ts";
import { actsOn, createQuota } from "../acts/quotas.tsx";
import { changeSettings } from "../acts/settings.tsx";
import type { Versioned } from "../api/api.ts";
import { pagesOf } from "../api/pages.ts";
import type { Answer, UnreadableItem } from "../api/types.ts";
import { useApi } from "../api/use-api.tsx";
import { useLoad } from "../api/use-load.ts";
import { Facts } from "../parts/facts.tsx";
import { Head } from "../parts/head.tsx";
import { Shown } from "../parts/shown.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { To } from "../parts/to.tsx";
import { Unreadable } from "../parts/unreadable.tsx";
import { number } from "../parts/usage-bar.tsx";
import { useNavigation } from "../state/navigation.tsx";

type Quota = Answer<"quotaRead">;

interface Read {
  readonly settings: Versioned<Answer<"settingsRead">>;
  readonly quotas: readonly Quota[];
  readonly unreadable: readonly UnreadableItem[];
}

/** The settings of the space and its quotas, or the quota of the address. */
export function SettingsPage() {
  const { quota = "" } = useNavigation().place.view;
  return quota === "" ? <All /> : <One name={quota} />;
}

const QUOTAS_PER_PAGE = 250;

function All() {
  const api = useApi();
  const { space } = useNavigation().place;
  const loaded = useLoad<Read>({ key: space }, async (signal) => {
    const reading = api.read<Answer<"settingsRead">>("config", signal);
    const quotas: Quota[] = [];
    const unreadable: UnreadableItem[] = [];
    const walk = { path: "quotas", query: { limit: QUOTAS_PER_PAGE }, signal };
    for await (const page of pagesOf<Answer<"quotasRead">>(api, walk)) {
      quotas.push(...page.quotas);
      unreadable.push(...(page.unreadable ?? []));
    }
    return { settings: await reading, quotas, unreadable };
  });
  return (
    <>
      <Head title="Settings" loaded={loaded} />
      <Shown loaded={loaded} what="the settings">
        {({ settings, quotas, unreadable }) => (
          <>
            <Acting acts={{ change: changeSettings(api, settings) }} reload={loaded.reload} />
            <Facts
              facts={Object.entries(settings.value).map(([name, value]) => [
                titleOf(name),
                <span key={name} title={meaningOf(SETTINGS[name as keyof typeof SETTINGS])}>
                  {valueText(value, ", ") || "none"}
                </span>,
              ])}
            />
            <h2>Quotas</h2>
            <Unreadable items={unreadable} />
            <Acting acts={{ quota: createQuota(api) }} reload={loaded.reload} />
            <Table
              label="Quotas"
              none="No quota limits this space."
              rows={quotas}
              keyOf={({ name }) => name}
              columns={[
                {
                  title: "Name",
                  value: ({ name }) => name,
                  show: ({ name }) => (
                    <To page={{ kind: "settings" }} view={{ quota: name }} class="name">
                      {name}
                    </To>
                  ),
                },
                { title: "Limits", value: limited, show: limited },
                ...MAXIMA.map(maximum),
              ]}
            />
          </>
        )}
      </Shown>
    </>
  );
}

const limited = ({ principal, tenant }: Quota): string =>
  principal !== undefined
    ? `the principal ${principal}`
    : tenant !== undefined
      ? `the tenant ${tenant}`
      : "the whole space";

const MAXIMA = ["addresses", "prefixes", "blocks", "requestsPerSecond"] as const;

const maximum = (name: (typeof MAXIMA)[number]): Column<Quota> => ({
  title: titleOf(name),
  value: (quota) => quota[name],
  show: ({ [name]: count }) => count !== undefined && number(count),
  isCount: true,
});

function One({ name }: { readonly name: string }) {
  const api = useApi();
  const { space } = useNavigation().place;
  const path = `quotas/${encodeURIComponent(name)}`;
  const loaded = useLoad({ key: `${space} ${name}` }, async (signal) => {
    const [quota, usage] = await Promise.all([
      api.read<Quota>(path, signal),
      api.get<Answer<"quotaUsageRead">>(`${path}/usage`, {}, signal),
    ]);
    return { quota, usage };
  });
  return (
    <>
      <Head kind="Quota" title={name} loaded={loaded} />
      <Shown loaded={loaded} what={`the quota ${name}`}>
        {({ quota, usage }) => (
          <>
            <Acting acts={actsOn(api, quota)} reload={loaded.reload} />
            <Facts
              facts={[
                ["It limits", limited(quota.value)],
                ...MAXIMA.map((field) => {
                  const max = quota.value[field];
                  const use = field === "requestsPerSecond" ? undefined : usage[field];
                  const used = use ? `${number(use.used)} of ` : "";
                  return [
                    titleOf(field),
                    max === undefined ? "no limit" : `${used}${number(max)}`,
                  ] as const;
                }),
              ]}
            />
          </>
        )}
      </Shown>
    </>
  );
}
