import { Copy } from "./copy.tsx";

const CHARACTERS_SHOWN = 12;

/** A long id: its first characters, and a button that copies the whole. Its title has the whole too. */
export const Id = ({ what, id }: { readonly what: string; readonly id: string }) => (
  <span class="id" title={id}>
    <code>{id.length > CHARACTERS_SHOWN ? `${id.slice(0, CHARACTERS_SHOWN)}…` : id}</code>
    <Copy label={`Copy the ${what}`} text={id} class="plain" />
  </span>
);
