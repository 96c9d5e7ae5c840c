import { PATIENCE_MS } from '#test/support/patience.ts';
import { sleep } from '../service.ts';

/** Polls until the condition holds. */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let waited = 0; waited < PATIENCE_MS; waited += 100) {
    if (await isSo()) return;
    await sleep(100);
  }
  throw new Error('it did not come to be so');
}
