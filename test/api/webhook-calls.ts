import { call } from '#test/support/client.ts';
import { PATIENCE_MS } from '#test/support/patience.ts';

export const CONFIGS = '/api/v1/beta/webhook-configs';
export const DELIVERIES = '/api/v1/beta/webhook-deliveries';

export interface Config {
  id: string;
  has_secret: boolean;
  [name: string]: unknown;
}

export interface Delivery {
  id: string;
  status: string;
  event_type: string;
  attempts: number;
  last_error: string | null;
  body?: string;
}

/** Waits until a job has at least as many deliveries as wanted and none is pending. Returns the oldest first. */
export async function waitForDeliveries(jobId: string, wanted: number, key?: string): Promise<Delivery[]> {
  for (let waited = 0; waited < PATIENCE_MS; waited += 50) {
    const path = `${DELIVERIES}?job_id=${jobId}`;
    const { body } = await call<{ items: Delivery[] }>('GET', path, { ...(key && { key }) });
    if (body.items.length >= wanted && body.items.every(({ status }) => status !== 'pending')) {
      return body.items.toReversed();
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('the deliveries did not end');
}
