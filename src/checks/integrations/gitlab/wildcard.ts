/** Names of protected branches with `*`, which stands for anything, `/` too (CHECKS §4.4). */

/** Linear in the name's length: each part is taken where it first fits. */
export function covers(pattern: string, branch: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return pattern === branch;
  if (branch.length < first.length + last.length || !branch.startsWith(first) || !branch.endsWith(last)) return false;
  const middle = branch.slice(first.length, branch.length - last.length);
  let from = 0;
  return rest.every((part) => {
    const at = middle.indexOf(part, from);
    from = at + part.length;
    return at >= 0;
  });
}
