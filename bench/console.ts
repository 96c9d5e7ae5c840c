/**
 * Measures the first load of the list of indexes in the console: on a machine that is four times slower, over a network
 * of 10 Mbit/s with 40 ms of latency. "shown" is the time until the list is on the screen. "interactive" is the end of
 * the last task over 50 ms before a second without one. Each visit begins with an empty cache; "again" has a full one.
 * Run: npm run bench:console
 */
import type { BrowserContext } from 'playwright-core';
import { Service } from '#test/process/service.ts';
import { launch } from '../console/test/support/chromium.ts';
import { furnish } from '../console/test/support/furnished.ts';
import { fixed, printTable, type Row } from './search/measure.ts';

const SLOWDOWN = Number(process.env.SLOWDOWN ?? 4);
const VISITS = Number(process.env.VISITS ?? 5);
const INDEXES = Number(process.env.INDEXES ?? 100);
const NETWORK = { latency: 40, downloadThroughput: 10e6 / 8, uploadThroughput: 10e6 / 8, offline: false };
/** Duration without a long task after which a page counts as loaded, in milliseconds. */
const QUIET_MS = 1_000;

interface Load {
  shown: number;
  interactive: number;
  blocked: number;
  /** CPU time of the main thread, in seconds. Other processes on the machine do not make it longer. */
  cpu: number;
  requests: string[];
  kib: number;
}

const service = new Service();
await service.start();
try {
  await furnish(service);
  for (let at = 0; at < INDEXES; at += 1) {
    await service.call('POST', '/api/v1/pipelines', { name: `Index ${at}` });
  }
  const browser = await launch();
  const first: Load[] = [];
  const again: Load[] = [];
  for (let visit = 0; visit < VISITS; visit += 1) {
    const context = await browser.newContext({
      baseURL: service.base,
      viewport: { width: 1280, height: 800 },
    });
    const signedIn = await context.request.post('/api/v1/session', {
      data: { api_key: service.key },
      headers: { origin: service.base },
    });
    if (!signedIn.ok()) throw new Error(`Signing in was answered with ${signedIn.status()}.`);
    first.push(await measure(context));
    again.push(await measure(context));
    await context.close();
  }
  await browser.close();
  console.log(
    `${INDEXES + 2} indexes, CPU slowed down ${SLOWDOWN} times, median of ${VISITS} visits, in seconds:`,
  );
  printTable([describe('first', first), describe('again', again)]);
  console.log('Requests of a first visit:');
  for (const request of first[0]!.requests) console.log(`  ${request}`);
} finally {
  await service.end();
}
process.exit(0);

async function measure(context: BrowserContext): Promise<Load> {
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  await session.send('Network.emulateNetworkConditions', NETWORK);
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN });
  await page.addInitScript(() => {
    const noted = { tasks: [] as [number, number][], shown: 0 };
    Object.assign(globalThis, { noted });
    new PerformanceObserver((list) => {
      for (const { startTime, duration } of list.getEntries())
        noted.tasks.push([startTime, startTime + duration]);
    }).observe({ type: 'longtask', buffered: true });
    const look = () => {
      if (document.querySelectorAll('main tbody tr').length > 1) noted.shown = performance.now();
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  await page.goto('/console/indexes');
  await page.waitForFunction((quiet) => {
    const { noted } = globalThis as unknown as { noted: { tasks: [number, number][]; shown: number } };
    const last = Math.max(noted.shown, ...noted.tasks.map(([, end]) => end));
    return noted.shown > 0 && performance.now() - last > quiet;
  }, QUIET_MS);
  const { metrics } = await session.send('Performance.getMetrics');
  const cpu = metrics.find(({ name }) => name === 'TaskDuration')!.value;
  const load = await page.evaluate(() => {
    const { noted } = globalThis as unknown as { noted: { tasks: [number, number][]; shown: number } };
    const resources = performance.getEntriesByType('resource') as PerformanceResourceTiming[];
    const [document_] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
    const all = [document_!, ...resources].filter(({ startTime }) => startTime < noted.shown);
    return {
      shown: noted.shown,
      interactive: Math.max(noted.shown, ...noted.tasks.map(([, end]) => end)),
      blocked: noted.tasks.reduce((sum, [start, end]) => sum + (end - start - 50), 0),
      requests: all.map(
        ({ name, startTime, responseEnd }) =>
          `${Math.round(startTime)}-${Math.round(responseEnd)} ms ${new URL(name).pathname}`,
      ),
      kib: all.reduce((sum, { transferSize }) => sum + transferSize, 0) / 1024,
    };
  });
  await page.close();
  return { ...load, cpu };
}

function describe(visit: string, loads: Load[]): Row {
  const median = (read: (load: Load) => number) =>
    loads.map(read).toSorted((a, b) => a - b)[loads.length >> 1]!;
  return {
    visit,
    shown: fixed(median(({ shown }) => shown) / 1000),
    interactive: fixed(median(({ interactive }) => interactive) / 1000),
    'blocked by long tasks': fixed(median(({ blocked }) => blocked) / 1000),
    'CPU of the main thread': fixed(median(({ cpu }) => cpu)),
    requests: median(({ requests }) => requests.length),
    KiB: fixed(median(({ kib }) => kib)),
  };
}
