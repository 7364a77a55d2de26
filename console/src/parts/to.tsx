import type { ComponentChildren } from "preact";
import type { HostType } from "../api/types.ts";
import { useNavigation } from "../state/navigation.tsx";
import type { Page, Place } from "../state/place.ts";

/** A link to a page of the console. */
export function To(props: {
  readonly page: Page;
  readonly view?: Place["view"] | undefined;
  readonly class?: string;
  readonly title?: string;
  /** True on the page to which it leads. */
  readonly isCurrent?: boolean;
  readonly children: ComponentChildren;
}) {
  const { page, view, title, isCurrent, children } = props;
  return (
    <a
      href={useNavigation().href(page, view)}
      class={props.class}
      title={title}
      aria-current={isCurrent ? "page" : undefined}
    >
      {children}
    </a>
  );
}

/** A link to the page of what has a name. */
export function Named({
  kind,
  name,
}: {
  readonly kind: "pool" | "block" | "address" | "host" | "handle";
  readonly name: string;
}) {
  return (
    <To page={{ kind, name }} class="name" title={name}>
      {name}
    </To>
  );
}

/** A link to the page of a host, which is a machine if no type is said. */
export function NamedHost({
  name,
  type,
}: {
  readonly name: string;
  readonly type: HostType | undefined;
}) {
  return (
    <To
      page={{ kind: "host", name }}
      view={type === "virtual" ? { type } : undefined}
      class="name"
      title={name}
    >
      {name}
    </To>
  );
}
