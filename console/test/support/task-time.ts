import type { Browser, CDPSession, Page } from 'playwright-core';

/** How many times slower the pages of a `TaskTimer` run: a slow machine makes fewer frames of the same work. */
const SLOWDOWN = 4;

/** Measures the CPU time that the main thread of a page takes. Time of other processes is not counted. */
export class TaskTimer {
  readonly #session: CDPSession;

  private constructor(session: CDPSession) {
    this.#session = session;
  }

  static async start(page: Page): Promise<TaskTimer> {
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN });
    return new TaskTimer(session);
  }

  /** Returns the seconds of CPU time that the page's tasks took while `work` ran. */
  async measure(work: () => Promise<unknown>): Promise<number> {
    const before = await this.#taskSeconds();
    await work();
    return (await this.#taskSeconds()) - before;
  }

  async stop(): Promise<void> {
    await this.#session.send('Emulation.setCPUThrottlingRate', { rate: 1 });
    await this.#session.detach();
  }

  async #taskSeconds(): Promise<number> {
    const { metrics } = await this.#session.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration')!.value;
  }
}

interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  args: { name?: string };
  /** CPU time of the thread in microseconds. Absent if the event has no duration. */
  tdur?: number;
}

/**
 * Returns the CPU time, in milliseconds, of the longest task that a page runs on its main thread during `work`. CPU
 * time is not longer on a busy machine, unlike the durations that the page itself can observe.
 */
export async function measureLongestTask(browser: Browser, work: () => Promise<unknown>): Promise<number> {
  await browser.startTracing(undefined, { categories: ['toplevel'] });
  let trace: Buffer;
  try {
    await work();
  } finally {
    trace = await browser.stopTracing();
  }
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] };
  const mainThreads = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  const tasks = traceEvents.filter(
    ({ name, pid, tid }) => name === 'ThreadControllerImpl::RunTask' && mainThreads.has(`${pid} ${tid}`),
  );
  return Math.max(0, ...tasks.map(({ tdur = 0 }) => tdur / 1000));
}
