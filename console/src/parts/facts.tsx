import type { ComponentChildren } from "preact";

/** A fact: its name and its value. A fact without a value is left out. */
export type Fact = readonly [name: string, value: ComponentChildren];

/** A list of facts. */
export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl class="facts">
      {facts
        .filter(([, value]) => value !== undefined && value !== "" && value !== false)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
