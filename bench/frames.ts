import type { Page } from "../test/console/browser.ts";

/** Notes the time of each frame until it is told to stop. */
const OBSERVE = `(() => {
  const times = [];
  let going = true;
  const next = (at) => { times.push(at); if (going) requestAnimationFrame(next); };
  requestAnimationFrame(next);
  window.stopFrames = () => { going = false; return times; };
})()`;

/** Returns the times between the frames of a page while something is done, in milliseconds. */
export async function framesDuring(
  page: Page,
  work: () => Promise<unknown>,
): Promise<readonly number[]> {
  await page.evaluate(OBSERVE);
  await work();
  const times = (await page.evaluate("window.stopFrames()")) as readonly number[];
  return times.slice(1).map((at, i) => at - (times[i] ?? at));
}
