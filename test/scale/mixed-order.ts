/**
 * An order of `count` numbers with each once, and with neighbours far apart, as a hash scatters
 * partitions. It computes the number at a place, and the place of a number, without a list.
 */
export class MixedOrder {
  readonly count: number;
  readonly #stride: number;
  readonly #inverse: number;

  constructor(count: number) {
    this.count = count;
    let stride = Math.min(Math.floor(count * 0.618), STRIDE_MAX) || 1;
    while (gcd(stride, count) !== 1) stride++;
    this.#stride = stride;
    this.#inverse = inverseOf(stride, count);
  }

  numberAt(place: number): number {
    return (place * this.#stride) % this.count;
  }

  placeOf(number: number): number {
    return Number((BigInt(number) * BigInt(this.#inverse)) % BigInt(this.count || 1));
  }
}

/** The maximum stride. With it the products stay exact up to a thousand million places. */
const STRIDE_MAX = 1_000_003;

const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b));

/** Returns the inverse of a number modulo another one that has no divisor in common with it. */
function inverseOf(number: number, modulus: number): number {
  let [r, rest, s, next] = [number, modulus, 1, 0];
  while (rest !== 0) {
    const times = Math.floor(r / rest);
    [r, rest] = [rest, r - times * rest];
    [s, next] = [next, s - times * next];
  }
  return s < 0 ? s + modulus : s;
}
