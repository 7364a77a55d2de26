import { useMemo } from "preact/hooks";
import { useScheme } from "../state/scheme.ts";
import { hostColours } from "./colours.ts";
import type { HostInLegend } from "./hosts.ts";
import { FILL_TEXT, FILLS, type Fill, fillOf, type Part } from "./tiles.ts";

/** The classes of fill with the number of their blocks, or block groups. A click lets one of them stand out. */
export function FillLegend(props: {
  readonly parts: readonly Part[];
  readonly chosen: Fill | undefined;
  choose(fill: string): void;
}) {
  const { parts, chosen, choose } = props;
  const counts = useMemo(() => {
    const counted = new Map<Fill, number>();
    for (const { usage } of parts) {
      const fill = fillOf(usage);
      counted.set(fill, (counted.get(fill) ?? 0) + 1);
    }
    return counted;
  }, [parts]);
  return (
    <ul class="legend" aria-label="Legend: how full a block is">
      <li>
        <span class="swatch unclaimed" aria-hidden="true" /> unclaimed
      </li>
      {FILLS.map((fill) => (
        <li key={fill}>
          <button
            type="button"
            aria-pressed={chosen === fill}
            onClick={() => choose(chosen === fill ? "" : fill)}
          >
            <span class={`swatch fill-${fill}`} aria-hidden="true" />
            {FILL_TEXT[fill]} <b>{counts.get(fill) ?? 0}</b>
          </button>
        </li>
      ))}
    </ul>
  );
}

const HOSTS_IN_LEGEND_MAX = 24;

/** The hosts with the number of their blocks, or block groups. A click lets one of them stand out. */
export function HostLegend(props: {
  readonly hosts: readonly HostInLegend[];
  readonly chosen: string | undefined;
  choose(host: string): void;
}) {
  const { hosts, chosen, choose } = props;
  const scheme = useScheme();
  const first = hosts.slice(0, HOSTS_IN_LEGEND_MAX);
  const others = hosts.length - first.length;
  const isOther = chosen !== undefined && !first.some(({ host }) => host === chosen);
  const named = isOther ? hosts.filter(({ host }) => host === chosen) : [];
  return (
    <ul class="legend" aria-label="Legend: the host of a block">
      <li>
        <span class="swatch unclaimed" aria-hidden="true" /> unclaimed
      </li>
      {[...named, ...first].map(({ host, count, hue }) => (
        <li key={host}>
          <button
            type="button"
            aria-pressed={chosen === host}
            onClick={() => choose(chosen === host ? "" : host)}
          >
            <span
              class="swatch"
              style={{ background: hostColours(hue, scheme).used }}
              aria-hidden="true"
            />
            {host} <b>{count}</b>
          </button>
        </li>
      ))}
      {others > 0 && (
        <li>
          <label>
            and {others} others:{" "}
            <select
              value={isOther ? chosen : ""}
              onChange={(event) => choose(event.currentTarget.value)}
            >
              <option value="">choose a host</option>
              {hosts.slice(HOSTS_IN_LEGEND_MAX).map(({ host, count }) => (
                <option key={host} value={host}>
                  {host} ({count})
                </option>
              ))}
            </select>
          </label>
        </li>
      )}
    </ul>
  );
}
