/** Runs jobs a few at a time, in order of start, whatever order their results are asked for. */

export interface Job<T> {
  /** True for a job that measures time or fills the machine: nothing else runs beside it. */
  readonly isAlone: boolean;
  readonly run: () => Promise<T>;
}

/** Starts at once; the promises are in the order of the jobs. Jobs that run alone come last. */
export function inLanes<T>(jobs: readonly Job<T>[], lanes: number): Promise<T>[] {
  const waiting = jobs.map((job) => ({ job, ...Promise.withResolvers<T>() }));
  const work = async (queue: typeof waiting): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      await next.job.run().then(next.resolve, next.reject);
    }
  };
  const together = waiting.filter(({ job }) => !job.isAlone);
  const alone = waiting.filter(({ job }) => job.isAlone);
  void Promise.all(Array.from({ length: lanes }, () => work(together))).then(() => work(alone));
  return waiting.map(({ promise }) => promise);
}
