/**
 * The number of parallel calls that one machine answers long before a time-out. Further calls wait here, in order, and
 * not on a socket.
 */
const CALLS_AT_ONCE = 64;
const waiting: (() => void)[] = [];
let underWay = 0;

/** Makes a call to the database when it is its turn. */
export async function inTurn<T>(call: () => Promise<T>): Promise<T> {
  if (underWay === CALLS_AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  else underWay++;
  try {
    return await call();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else underWay--;
  }
}
