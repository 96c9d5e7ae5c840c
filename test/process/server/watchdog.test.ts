import { afterEach, expect, it, vi } from 'vitest';
import { Operations } from '#server/service/operations.ts';
import { Watchdog } from '#server/service/watchdog.ts';
import { OPERATION_MARK } from '#src/lib/schema/operation-marks.ts';
import { useFakeClock } from '#test/support/fake-clock.ts';

const LIMIT_MS = 200;
const EVERY_MS = 20;
const letPass = useFakeClock();
let watchdog: Watchdog | undefined;
afterEach(() => watchdog?.stop());

function watch(ask: (signal: AbortSignal) => Promise<void>, onHang: () => Promise<void>): void {
  watchdog = new Watchdog({ ping: ask, onHang, limitMs: LIMIT_MS, everyMs: EVERY_MS });
  watchdog.start();
}

const never = (signal: AbortSignal) =>
  new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

it('reports a thread that does not answer', async () => {
  const onHang = vi.fn(async () => {});
  watch(never, onHang);
  await letPass(LIMIT_MS - 1);
  expect(onHang).not.toHaveBeenCalled();
  await letPass(1);
  expect(onHang).toHaveBeenCalledTimes(1);
});

it('reports nothing while a thread answers', async () => {
  const onHang = vi.fn(async () => {});
  let answers = 0;
  watch(async () => void answers++, onHang);
  await letPass(3 * LIMIT_MS);
  expect(answers).toBeGreaterThan((2 * LIMIT_MS) / EVERY_MS);
  expect(onHang).not.toHaveBeenCalled();
});

it('reports nothing while later questions are answered', async () => {
  const onHang = vi.fn(async () => {});
  let questions = 0;
  watch((signal) => (++questions % 5 === 0 ? Promise.resolve() : never(signal)), onHang);
  await letPass(4 * LIMIT_MS);
  expect(questions).toBeGreaterThan((3 * LIMIT_MS) / EVERY_MS);
  expect(onHang).not.toHaveBeenCalled();
});

it('reports nothing while operations of a thread end', async () => {
  const onHang = vi.fn(async () => {});
  const operations = new Operations(() => watchdog!.reportLife());
  watch(never, onHang);
  for (let ended = 0; ended < (3 * LIMIT_MS) / EVERY_MS; ended++) {
    operations.read(`${OPERATION_MARK} begin ${ended} GET /`);
    operations.read(`${OPERATION_MARK} end ${ended}`);
    await letPass(EVERY_MS);
  }
  expect(onHang).not.toHaveBeenCalled();
});

it('reports again only after another hang', async () => {
  let isHanging = true;
  const onHang = vi.fn(async () => {
    isHanging = false;
  });
  watch((signal) => (isHanging ? never(signal) : Promise.resolve()), onHang);
  await letPass(3 * LIMIT_MS);
  expect(onHang).toHaveBeenCalledTimes(1);
  isHanging = true;
  await letPass(LIMIT_MS + EVERY_MS);
  expect(onHang).toHaveBeenCalledTimes(2);
});
