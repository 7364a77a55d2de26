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

/** Returns the colours of a hue. */
export const hostColours = (hue: number, scheme: "light" | "dark"): HostColours =>
  scheme === "light"
    ? { ground: `hsl(${hue} 70% 91%)`, used: `hsl(${hue} 60% 74%)` }
    : { ground: `hsl(${hue} 32% 19%)`, used: `hsl(${hue} 42% 36%)` };
