/** What pipes.test.ts shows, with so much data that every buffer has been full many times. */
import { expect, test } from "bun:test";
import { hallpassFor } from "../support/hallpass.ts";
import { passThrough } from "../support/pass-through.ts";
import { makePlaces } from "../support/places.ts";

test("1 GiB of random data comes out as it went in", async () => {
  using places = makePlaces();
  const { into, outOf } = await passThrough([...hallpassFor(), "--prompt=deny", "--", "cat"], places.project, 1024);
  expect(outOf).toEqual(into);
}, 600_000);
