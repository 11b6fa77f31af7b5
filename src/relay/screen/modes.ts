/** The modes of a terminal that change what output does, and those that outlive the program that set them. */

/** DEC private modes that are on from the start. */
const ON_AT_START = new Set([7, 25]);

export const Mode = {
  cursorKeys: 1,
  reverseVideo: 5,
  origin: 6,
  autowrap: 7,
  cursorVisible: 25,
  alternate47: 47,
  keypad: 66,
  leftRightMargins: 69,
  focus: 1004,
  alternateScroll: 1007,
  alternate1047: 1047,
  saveCursor: 1048,
  alternate1049: 1049,
  bracketedPaste: 2004,
  synchronized: 2026,
} as const;

export class Modes {
  readonly #set = new Map<number, boolean>();
  readonly #saved = new Map<number, boolean>();
  isInsert = false;
  isLineFeedNewLine = false;
  /** Counts up with every change, so that others see when to look again. */
  generation = 0;

  isOn(mode: number): boolean {
    return this.#set.get(mode) ?? ON_AT_START.has(mode);
  }

  set(mode: number, isOn: boolean): void {
    if (this.#set.get(mode) === isOn) return;
    this.#set.set(mode, isOn);
    this.generation++;
  }

  save(mode: number): void {
    this.#saved.set(mode, this.isOn(mode));
  }

  saved(mode: number): boolean | undefined {
    return this.#saved.get(mode);
  }

  /** DECSTR. Bracketed paste, mouse and the like stay where terminals differ. */
  softReset(): void {
    this.isInsert = false;
    this.set(Mode.origin, false);
    this.set(Mode.autowrap, true);
    this.set(Mode.cursorVisible, true);
    this.set(Mode.cursorKeys, false);
    this.set(Mode.keypad, false);
    this.set(Mode.synchronized, false);
  }

  /** RIS. */
  reset(): void {
    this.#set.clear();
    this.#saved.clear();
    this.isInsert = false;
    this.isLineFeedNewLine = false;
    this.generation++;
  }

  /** Modes that are not as a fresh terminal has them. */
  changed(): [mode: number, isOn: boolean][] {
    return [...this.#set].filter(([mode, isOn]) => isOn !== ON_AT_START.has(mode));
  }

  clone(): Modes {
    const copy = new Modes();
    for (const [mode, isOn] of this.#set) copy.#set.set(mode, isOn);
    for (const [mode, isOn] of this.#saved) copy.#saved.set(mode, isOn);
    copy.isInsert = this.isInsert;
    copy.isLineFeedNewLine = this.isLineFeedNewLine;
    return copy;
  }
}
