import { longPdf } from '#bench/sync/long-pdf.ts';
import { runtimePids, sumUserTime } from './memory.ts';

/** Reads a file with an engine in the Worker. The last argument omits the reading from the response. */
type Ask = (
  engine: string,
  name: string,
  body: Uint8Array<ArrayBuffer>,
  repeat: number,
  quiet: true,
) => Promise<unknown>;

const PAGES = 500;
const ROUNDS = 5;

/**
 * Prints the page rate for a generated PDF of 500 pages next to plain PDFium. The engines take turns, so that other
 * work on the machine affects both. Each figure is the median of the rounds.
 */
export async function compareLongPdf(ask: Ask): Promise<void> {
  const body = longPdf(PAGES);
  const times: Record<string, number[]> = { 'ours-text': [], pdfium: [] };
  for (const engine of Object.keys(times)) await ask(engine, 'long.pdf', body, 1, true);
  const pids = runtimePids();
  const measure = () => (pids.length > 0 ? sumUserTime(pids) : performance.now());
  for (let round = 0; round < ROUNDS; round++) {
    for (const [engine, rounds] of Object.entries(times)) {
      const start = measure();
      await ask(engine, 'long.pdf', body, 1, true);
      rounds.push(measure() - start);
    }
  }
  const [ours, pdfium] = [findMedian(times['ours-text']!), findMedian(times.pdfium!)];
  const rate = (milliseconds: number) => ((PAGES / milliseconds) * 1000).toFixed(0);
  const clock = pids.length > 0 ? 'processor time' : 'elapsed time';
  console.log(
    `PDF of ${PAGES} pages, by ${clock}: ${rate(ours)} pages/s; plain PDFium ${rate(pdfium)} pages/s; ours takes ${(ours / pdfium).toFixed(2)} times as long`,
  );
}

const findMedian = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!;
