import { assertTexts, assertTimes } from "../../base/assertions.ts";
import type { SpaceIndex } from "../../kernel/values/index-entry.ts";
import { codec, type Form, id, map, optional, via } from "../../table/codec.ts";
import type { Item } from "../../table/item.ts";
import { configKey, spaceIn } from "../../table/key.ts";
import {
  type AttributeIndex,
  assertSettings,
  SETTINGS_DEFAULT,
  type Settings,
} from "./settings.ts";

/**
 * The stored value for no limit. An absent setting has its default, so no limit needs a number of
 * its own.
 */
const NO_CAP = 0;

/** The settings of a space, and the indexes that follow from them. */
interface Configuration {
  readonly space: string;
  readonly settings: Settings;
  /** The times since when indexes are set, by their attributes. */
  readonly indexedSince?: Readonly<Record<string, number>>;
  readonly indexes: readonly AttributeIndex[];
  readonly revision: string;
}

/** All settings, as they are but for one. A setting that is absent has its default. */
const settings: Form<Settings> = via(
  map<Partial<Settings>>(),
  (settings) => {
    assertSettings(settings);
    return { ...settings, maxBlocksPerHost: settings.maxBlocksPerHost ?? NO_CAP };
  },
  (stored) => {
    const { maxBlocksPerHost, ...rest } = { ...SETTINGS_DEFAULT, ...stored };
    const cap = maxBlocksPerHost === NO_CAP ? null : maxBlocksPerHost;
    const settings = { ...rest, maxBlocksPerHost: cap };
    // The indexes follow from settings that are checked.
    assertSettings(settings);
    return settings;
  },
);

export const CONFIGURATION = codec<Configuration, "space", "indexes">({
  key: ({ space }) => configKey(space),
  named: (key) => ({ space: spaceIn(key) }),
  attributes: { settings, indexedSince: optional(map()), revision: id },
  derive: ({ settings: { indexedAttributes }, indexedSince = {} }) => ({
    indexes: indexedAttributes.map((attribute) => {
      const sinceMs = indexedSince[attribute];
      return { attribute, ...(sinceMs !== undefined && { sinceMs }) };
    }),
  }),
  assert({ indexes, revision }) {
    assertTimes(...indexes.map(({ sinceMs }) => sinceMs));
    assertTexts({ revision });
  },
});

export const settingsFrom = CONFIGURATION.from;

/** Returns the indexes of a space with its name, from the item of its settings. */
export function indexesFrom(item: Item): readonly SpaceIndex[] {
  const { space, indexes } = settingsFrom(item);
  return indexes.map((index) => ({ ...index, space }));
}
