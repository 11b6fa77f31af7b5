/** The known word that somebody most likely meant. */

/** Undefined where nothing is near. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const ranked = known
    .map((one) => ({ one, distance: one.startsWith(word) && word.length > 1 ? 1 : editDistance(word, one) }))
    .toSorted((a, b) => a.distance - b.distance);
  const best = ranked[0];
  return best && best.distance <= Math.max(2, Math.ceil(word.length / 3)) ? best.one : undefined;
}

/** Insertions, deletions, replacements and swaps of neighbours that lead from one to the other. */
export function editDistance(from: string, to: string): number {
  let before: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const cost = from[i - 1] === to[j - 1] ? 0 : 1;
      let best = Math.min(row[j - 1]! + 1, last[j]! + 1, last[j - 1]! + cost);
      if (i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1])
        best = Math.min(best, before[j - 2]! + 1);
      row.push(best);
    }
    before = last;
    last = row;
  }
  return last[to.length]!;
}
