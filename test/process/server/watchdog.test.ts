import { afterEach, expect, it, vi } from 'vitest';
import { Operations } from '#server/service/operations.ts';
import { Watchdog } from '#server/service/watchdog.ts';
import { OPERATION_MARK } from '#src/lib/schema/operation-marks.ts';

const LIMIT_MS = 200;
let watchdog: Watchdog | undefined;
afterEach(() => watchdog?.stop());

function watch(ask: (signal: AbortSignal) => Promise<void>, onHang: () => Promise<void>): void {
  watchdog = new Watchdog({ ping: ask, onHang, limitMs: LIMIT_MS, everyMs: 20 });
  watchdog.start();
}

const never = (signal: AbortSignal) =>
  new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

it('reports a thread that does not answer', async () => {
  const onHang = vi.fn(async () => {});
  watch(never, onHang);
  await vi.waitFor(() => expect(onHang).toHaveBeenCalled());
});

it('reports nothing while a thread answers', async () => {
  const onHang = vi.fn(async () => {});
  let answers = 0;
  watch(async () => void answers++, onHang);
  // Waits for more than twice as many answers as fit into the limit.
  await vi.waitFor(() => expect(answers).toBeGreaterThan((2 * LIMIT_MS) / 20));
  expect(onHang).not.toHaveBeenCalled();
});

it('reports nothing while later questions are answered', async () => {
  const onHang = vi.fn(async () => {});
  let questions = 0;
  watch((signal) => (++questions % 5 === 0 ? Promise.resolve() : never(signal)), onHang);
  await vi.waitFor(() => expect(questions).toBeGreaterThan((3 * LIMIT_MS) / 20));
  expect(onHang).not.toHaveBeenCalled();
});

it('reports nothing while operations of a thread end', async () => {
  const onHang = vi.fn(async () => {});
  const operations = new Operations(() => watchdog!.reportLife());
  watch(never, onHang);
  for (let ended = 0; ended < (3 * LIMIT_MS) / 20; ended++) {
    operations.read(`${OPERATION_MARK} begin ${ended} GET /`);
    operations.read(`${OPERATION_MARK} end ${ended}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(onHang).not.toHaveBeenCalled();
});

it('reports again only after another hang', async () => {
  let isHanging = true;
  const onHang = vi.fn(async () => {
    isHanging = false;
  });
  watch((signal) => (isHanging ? never(signal) : Promise.resolve()), onHang);
  await vi.waitFor(() => expect(onHang).toHaveBeenCalledTimes(1));
  isHanging = true;
  await vi.waitFor(() => expect(onHang).toHaveBeenCalledTimes(2));
});
