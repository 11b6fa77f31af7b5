/** Which sequences a terminal answers or acts on at once, so that they must not wait for the bar to go. */

const QUESTION_MARK = 0x3f;

/** Finals of CSI sequences that are answered, by their intermediates; `t` only with some first numbers. */
const ASKING: Readonly<Record<string, string>> = {
  "": "cnx",
  "?": "nuScm",
  ">": "cq",
  "=": "c",
  $: "pvwu",
  "?$": "p",
  "*": "yz",
  "'": "|",
  "&": "wu",
  "#": "RS",
};

const WINDOW_QUESTIONS = new Set([11, 13, 14, 15, 16, 18, 19, 20, 21]);

export function csiAsks(intermediates: string, final: string, first: number): boolean {
  if (intermediates === "" && final === "t") return WINDOW_QUESTIONS.has(first);
  return ASKING[intermediates]?.includes(final) ?? false;
}

/** OSC 4, 5, 10 to 19, 52 and others ask with a `?` in place of a value. */
export function oscAsks(text: string): boolean {
  return /^\d+;.*\?/.test(text) && !/^[0127];/.test(text);
}

/** The clipboard, notifications, progress, pictures, marks of a shell. */
export function oscIsEvent(text: string): boolean {
  return /^(9|52|99|777|1337);/.test(text);
}

/** DECRQSS, XTGETTCAP. */
export function dcsAsks(intermediates: string, final: string, text: Uint8Array): boolean {
  if ((intermediates === "$" || intermediates === "+") && (final === "q" || final === "Q")) return true;
  return text.length > 0 && text[0] === QUESTION_MARK;
}
