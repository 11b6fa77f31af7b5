/** What is decided in the last moment of a program is in the log, however soon hallpass ends. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { hallpass } from "../support/hallpass.ts";
import { makePlaces } from "../support/places.ts";

test("a program that ends right after a denial leaves it in the log, each time", async () => {
  using places = makePlaces();
  for (let run = 0; run < 20; run++) {
    const log = `${places.root}/${run}.jsonl`;
    const script = `echo x >> ${places.outside}/keep || true`;
    await hallpass(places, ["--prompt=deny", `--log=${log}`, "--", "sh", "-c", script]);
    expect(readFileSync(log, "utf8").match(/"decision":"deny"/g)).toHaveLength(1);
  }
}, 120_000);
