/** What has to be known of the real terminal and no terminal can be asked for: taken from the environment. */

export interface TerminalKind {
  /** There is a second screen to draw the bar on while the first is kept as it is. */
  readonly hasAlternateScreen: boolean;
  /** One saved cursor (DECSC) serves both screens, so the bar must not use it. */
  readonly sharesSavedCursor: boolean;
}

/** Terminals without a second screen; GNU screen has one only where its user turned it on. */
const WITHOUT_ALTERNATE_SCREEN = /^(linux|dumb|ansi|cons25.*|vt\d.*|screen.*|unknown|)$/;

export function terminalKind(environment: Readonly<Record<string, string | undefined>>): TerminalKind {
  const term = environment.TERM ?? "";
  const isTmux = environment.TMUX !== undefined || term.startsWith("tmux");
  return {
    hasAlternateScreen: isTmux || (environment.STY === undefined && !WITHOUT_ALTERNATE_SCREEN.test(term)),
    sharesSavedCursor: isTmux,
  };
}
