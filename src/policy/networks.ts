/** The `connect` rules on addresses: for each network and protocol, ranges of ports that do not overlap. */
import type { InetDest, Network, Ports } from "./dest.ts";
import { Owner, Protocol } from "./layout.ts";

export interface PortRange {
  readonly low: number;
  readonly high: number;
  readonly verdict: number;
}

interface Entry {
  readonly ports: Ports;
  readonly verdict: number;
}

/** What one network and protocol owns in the hash table. */
export interface NetworkTable {
  readonly owner: number;
  readonly address: Uint8Array;
  readonly ports: readonly PortRange[];
}

const ANY: readonly Network[] = [
  { address: [0, 0, 0, 0], bits: 0 },
  { address: Array.from({ length: 16 }, () => 0), bits: 0 },
];

export class Networks {
  readonly #entries = new Map<string, { owner: number; address: Uint8Array; entries: Entry[] }>();
  readonly lengths4 = new Set<number>();
  readonly lengths6 = new Set<number>();

  add(dest: InetDest, verdict: number): void {
    const protocols = dest.protocol ? [Protocol[dest.protocol]] : Object.values(Protocol);
    for (const network of dest.network ? [dest.network] : ANY) {
      const isFour = network.address.length === 4;
      (isFour ? this.lengths4 : this.lengths6).add(network.bits);
      for (const protocol of protocols) {
        const owner = (isFour ? Owner.network4 : Owner.network6) + protocol * 256 + network.bits;
        this.#entry(owner, network).push({ ports: dest.ports, verdict });
      }
    }
  }

  tables(): NetworkTable[] {
    return [...this.#entries.values()].map(({ owner, address, entries }) => ({
      owner,
      address,
      ports: paint(entries),
    }));
  }

  #entry(owner: number, network: Network): Entry[] {
    const key = `${owner}/${network.address.join(".")}`;
    let found = this.#entries.get(key);
    if (found === undefined) {
      found = { owner, address: Uint8Array.from(network.address), entries: [] };
      this.#entries.set(key, found);
    }
    return found.entries;
  }
}

/** Ranges apart from each other, each with the lowest verdict of those that cover it. */
function paint(entries: readonly Entry[]): PortRange[] {
  const edges = [...new Set(entries.flatMap(({ ports: [low, high] }) => [low, high + 1]))].toSorted((a, b) => a - b);
  const place = new Map(edges.map((edge, index) => [edge, index]));
  const verdicts = new Array<number | undefined>(edges.length);
  const free = edges.map((_, index) => index);
  const nextFree = (index: number): number => {
    let at = index;
    while (free[at] !== at) at = free[at] = free[free[at]!]!;
    return at;
  };
  for (const { ports, verdict } of entries.toSorted((one, other) => one.verdict - other.verdict)) {
    const end = place.get(ports[1] + 1)!;
    for (let at = nextFree(place.get(ports[0])!); at < end; at = nextFree(at)) {
      verdicts[at] = verdict;
      free[at] = at + 1;
    }
  }
  return edges.flatMap((low, index) => {
    const verdict = verdicts[index];
    return verdict === undefined ? [] : [{ low, high: edges[index + 1]! - 1, verdict }];
  });
}
