/** Returns a colour of the style sheet in the scheme in force, such as `--fill-low`, as a canvas takes it. */
export function styled(name: `--${string}`): string {
  // The value of a property is its text with both schemes; the colour of an element is one colour.
  const probe = document.createElement("i");
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** The colours of a host in a scheme: the ground of its blocks, and the share of them that is in use. */
export interface HostColours {
  readonly ground: string;
  readonly used: string;
}

/** Returns the colours of a hue, as light or as dark as those of each other hue. */
export const hostColours = (hue: number, scheme: "light" | "dark"): HostColours =>
  scheme === "light"
    ? { ground: `oklch(0.925 0.03 ${hue})`, used: `oklch(0.612 0.1 ${hue})` }
    : { ground: `oklch(0.3 0.045 ${hue})`, used: `oklch(0.545 0.09 ${hue})` };
