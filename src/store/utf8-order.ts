const SURROGATES_START = 0xd800;
const SURROGATES_END = 0xe000;

/**
 * Orders sort keys as DynamoDB does: by the bytes of their UTF-8
 * (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Query.KeyConditionExpressions.html).
 * JavaScript compares UTF-16, where characters beyond U+FFFF come before those from U+E000 on.
 */
export function byUtf8(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const [left, right] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (left !== right) return rank(left) - rank(right);
  }
  return a.length - b.length;
}

function rank(unit: number): number {
  if (unit < SURROGATES_START) return unit;
  return unit < SURROGATES_END ? unit + SURROGATES_END : unit - (SURROGATES_END - SURROGATES_START);
}
