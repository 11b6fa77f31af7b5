/** The numbers of a control sequence: separated by `;`, or by `:` where they belong to the number before them. */

const MAX = 32;
const LARGEST = 0x7fffffff;

export class Parameters {
  readonly #values = new Int32Array(MAX);
  readonly #isSub = new Uint8Array(MAX);
  count = 0;
  #hasDigits = false;

  clear(): void {
    this.count = 0;
    this.#hasDigits = false;
  }

  digit(value: number): void {
    if (this.count === 0) this.#open(0);
    const at = this.count - 1;
    const before = Math.max(this.#values[at]!, 0);
    this.#values[at] = before > 100_000_000 ? LARGEST : before * 10 + value;
    this.#hasDigits = true;
  }

  /** After `;` (0) or `:` (1) another number begins. */
  separate(isSub: 0 | 1): void {
    if (this.count === 0) this.#open(0);
    this.#open(isSub);
  }

  #open(isSub: 0 | 1): void {
    if (this.count >= MAX) return;
    this.#values[this.count] = -1;
    this.#isSub[this.count] = isSub;
    this.count++;
  }

  /** 0 where it was left out. */
  get(at: number): number {
    return at < this.count ? Math.max(this.#values[at]!, 0) : 0;
  }

  /** At least 1, as most counts are read. */
  count1(at: number): number {
    return Math.max(this.get(at), 1);
  }

  has(at: number): boolean {
    return at < this.count && this.#values[at]! >= 0;
  }

  get isEmpty(): boolean {
    return !this.#hasDigits;
  }

  /** The last of the `:` numbers behind `at`, or `at` itself. */
  endOfGroup(at: number): number {
    let end = at;
    while (end + 1 < this.count && this.#isSub[end + 1] === 1) end++;
    return end;
  }
}
