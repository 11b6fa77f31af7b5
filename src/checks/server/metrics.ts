/** What Prometheus reads: how many checks with which answers, and how long they took. */
import type { Decision } from "../decision.ts";

const BUCKETS = [0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

class Histogram {
  readonly counts = BUCKETS.map(() => 0);
  count = 0;
  sum = 0;

  add(seconds: number): void {
    this.count++;
    this.sum += seconds;
    for (const [index, bound] of BUCKETS.entries())
      if (seconds <= bound) this.counts[index] = (this.counts[index] ?? 0) + 1;
  }
}

export class Metrics {
  private readonly checks = new Map<string, number>();
  private readonly times = new Map<string, Histogram>();
  private readonly requests = new Map<string, number>();
  private readonly limited = new Map<string, number>();

  /** `connection` is a configured one, or empty: callers must not be able to make series. */
  check(connection: string, { code, decision, cached }: Decision, seconds: number): void {
    bump(this.checks, labels({ connection, decision, code, cached: String(cached) }));
    const times = this.times.get(connection) ?? new Histogram();
    this.times.set(connection, times);
    times.add(seconds);
  }

  request(route: string, status: number): void {
    bump(this.requests, labels({ route, status: String(status) }));
  }

  rateLimited(key: string): void {
    bump(this.limited, labels({ key }));
  }

  /** In Prometheus's text format. */
  text(gauges: { readonly inFlight: number; readonly cachedDecisions: number }): string {
    return [
      ...series("hallpass_checks_total", "counter", "Questions answered.", this.checks),
      ...histograms(this.times),
      ...series("hallpass_http_requests_total", "counter", "HTTP requests answered.", this.requests),
      ...series("hallpass_rate_limited_total", "counter", "Requests over a key's rate limit.", this.limited),
      ...series("hallpass_requests_in_flight", "gauge", "Requests being answered.", new Map([["", gauges.inFlight]])),
      ...series("hallpass_cached_decisions", "gauge", "Decisions held.", new Map([["", gauges.cachedDecisions]])),
      "",
    ].join("\n");
  }
}

function histograms(times: ReadonlyMap<string, Histogram>): string[] {
  const name = "hallpass_check_seconds";
  const lines = [...times].flatMap(([connection, { counts, count, sum }]) => [
    ...BUCKETS.map((le, index) => `${name}_bucket${labels({ connection, le: String(le) })} ${counts[index]}`),
    `${name}_bucket${labels({ connection, le: "+Inf" })} ${count}`,
    `${name}_sum${labels({ connection })} ${sum}`,
    `${name}_count${labels({ connection })} ${count}`,
  ]);
  return [`# HELP ${name} How long an answer took.`, `# TYPE ${name} histogram`, ...lines];
}

function series(name: string, type: string, help: string, values: ReadonlyMap<string, number>): string[] {
  const lines = [...values].map(([label, value]) => `${name}${label} ${value}`);
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines];
}

function labels(pairs: Readonly<Record<string, string>>): string {
  const quoted = (value: string): string => value.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n");
  return `{${Object.entries(pairs)
    .map(([key, value]) => `${key}="${quoted(value)}"`)
    .join(",")}}`;
}

function bump(counts: Map<string, number>, label: string): void {
  counts.set(label, (counts.get(label) ?? 0) + 1);
}
