import { count } from './counts.ts';
import { heard, replaced } from './hear.ts';

/** Bytes per billed unit of a queue message: 64 KB, including about 100 bytes added by the platform. */
const UNIT = 64_000;
const OWN = 100;

const countUnits = (body: unknown) =>
  Math.ceil((new TextEncoder().encode(JSON.stringify(body)).length + OWN) / UNIT);

export function meteredQueue(queue: Queue): Queue {
  return heard(queue, (name, [given], sent) => {
    const bodies = name === 'sendBatch' ? (given as MessageSendRequest[]).map(({ body }) => body) : [given];
    for (const body of bodies) count('queue operations', countUnits(body));
    return sent;
  });
}

/**
 * Counts a batch as one Worker request, and a read and a delete for each message. Retried messages are not
 * deleted.
 */
export function meterBatch({ messages }: MessageBatch): void {
  count('Worker requests');
  for (const message of messages) {
    const units = countUnits(message.body);
    count('queue operations', 2 * units);
    replaced(message, 'retry', (retry) => (...args) => {
      count('queue operations', -units);
      return retry(...args);
    });
  }
}
