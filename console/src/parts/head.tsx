import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import type { Loaded } from "../api/use-load.ts";
import { useIsCovered } from "../state/covered.ts";
import { Live } from "./live.tsx";

/** The head of a page: its kind and name, which the title of the window has too. */
export function Head(props: {
  readonly kind?: string;
  readonly title: string;
  readonly loaded?: Loaded<unknown>;
  readonly children?: ComponentChildren;
}) {
  const { kind, title, loaded, children } = props;
  const text = kind ? `${kind} ${title}` : title;
  const isCovered = useIsCovered();
  useEffect(() => {
    if (!isCovered) document.title = `${text} · Plat`;
  }, [text, isCovered]);
  return (
    <header class="head">
      <h1>
        {kind && <span class="kind">{kind} </span>}
        <span class="title">{title}</span>
      </h1>
      {children}
      {loaded && <Live loaded={loaded} />}
    </header>
  );
}
