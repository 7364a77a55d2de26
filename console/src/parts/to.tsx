import type { ComponentChildren } from "preact";
import { useNavigation } from "../state/navigation.tsx";
import type { Page, Place } from "../state/place.ts";

/** A link to a page of the console. */
export function To(props: {
  readonly page: Page;
  readonly view?: Place["view"];
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
