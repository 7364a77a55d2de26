import { useMemo, useRef } from "preact/hooks";
import type { Pool } from "../api/types.ts";
import { useApi } from "../api/use-api.tsx";
import { useLoad } from "../api/use-load.ts";
import { BlockMap, type BlockMapProps } from "../map/block-map.tsx";
import { GROUP_BITS, type PoolMap, readMap } from "../map/read-map.ts";
import { hasRoom, type Part, usuallyShown } from "../map/tiles.ts";
import {
  cidrText,
  contains,
  coveredBy,
  readCidr,
  readStretch,
  stretchText,
  within,
} from "../network/cidr.ts";
import { Shown } from "../parts/shown.tsx";
import { useNavigation } from "../state/navigation.tsx";

/**
 * The block map of a pool. It shows the parts, or the blocks of a network in a pool whose parts are block groups.
 *
 * @param props.parts the blocks of the pool, or its block groups if a map has no room for all blocks
 */
export function MapOfPool(props: {
  readonly pool: Pool;
  readonly parts: readonly Part[];
  readonly by: "fill" | "host";
}) {
  const { pool, parts, by } = props;
  const { name, cidr, blockSize: blockLength } = pool;
  const { view } = useNavigation().place;
  const whole = useMemo(() => readCidr(cidr), [cidr]);
  const usual = useMemo(
    () => whole && usuallyShown(whole, blockLength, parts),
    [whole, blockLength, parts],
  );
  if (!whole || !usual) return null;
  const named = readStretch(view.within ?? "");
  const isPart = named && contains(whole, named) && named.length < blockLength;
  const shown = isPart ? within(whole, named) : usual;
  const map = { name, whole, blockLength, by, shown, usual };
  if (hasRoom(whole, blockLength))
    return <BlockMap {...map} parts={parts} itemLength={blockLength} />;
  return hasRoom(shown, blockLength) ? (
    <BlocksWithin {...map} />
  ) : (
    <BlockMap {...map} parts={parts} itemLength={blockLength - GROUP_BITS} />
  );
}

/** The map of a part of a large pool, with its blocks. While it moves, it shows the blocks that it has. */
function BlocksWithin(props: Omit<BlockMapProps, "parts" | "itemLength">) {
  const { name, shown, blockLength } = props;
  const api = useApi();
  const { space } = useNavigation().place;
  const networks = coveredBy(shown);
  const loaded = useLoad<PoolMap>(
    { key: [space, name, ...networks.map(cidrText)].join(" ") },
    (signal, show) => readMap(api, { name, byBlock: true, within: networks }, signal, show),
  );
  const pool = `${space} ${name} ${shown.length}`;
  const before = useRef({ pool, value: loaded.value });
  if (loaded.value || before.current.pool !== pool) before.current = { pool, value: loaded.value };
  const { value } = before.current;
  return (
    <Shown loaded={{ ...loaded, value }} what={`the blocks in ${stretchText(shown)}`}>
      {({ parts }) => (
        <BlockMap {...props} parts={parts} itemLength={blockLength} isReading={!loaded.at} />
      )}
    </Shown>
  );
}
