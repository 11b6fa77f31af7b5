/** Refreshes and asks while the test publishes: what it sees must always be one whole policy. */
import { Matcher } from "../host.ts";

declare const self: Worker;

self.addEventListener("message", (event: MessageEvent<{ shared: SharedArrayBuffer; refreshes: number }>) => {
  const matcher = new Matcher(event.data.shared);
  const path = new TextEncoder().encode("/p0");
  const last = new TextEncoder().encode("/p39");
  let seen = 0;
  let wrong = 0;
  while (seen < event.data.refreshes) {
    if (!matcher.refresh()) continue;
    seen++;
    matcher.pathBytes.set(path);
    if (matcher.match(0, path.length) >>> 28 !== 4 || matcher.ruleAt(0)?.target !== "/p0") wrong++;
    matcher.pathBytes.set(last);
    const isLarge = matcher.match(0, last.length) >>> 28 === 4;
    if (isLarge !== (matcher.ruleAt(39)?.target === "/p39")) wrong++;
  }
  self.postMessage({ wrong, seen });
});
