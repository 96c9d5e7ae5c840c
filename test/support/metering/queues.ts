import { count } from './counts.ts';
import { heard, replaced } from './hear.ts';

/** A message is billed for every 64 KB that it begins, with about 100 bytes of the platform's own. */
const UNIT = 64_000;
const OWN = 100;

const unitsOf = (body: unknown) =>
  Math.ceil((new TextEncoder().encode(JSON.stringify(body)).length + OWN) / UNIT);

export function meteredQueue(queue: Queue): Queue {
  return heard(queue, (name, [given], sent) => {
    const bodies = name === 'sendBatch' ? (given as MessageSendRequest[]).map(({ body }) => body) : [given];
    for (const body of bodies) count('queue operations', unitsOf(body));
    return sent;
  });
}

/** Each message is read, and deleted unless it is to come again. The batch is one request of the Worker. */
export function meterBatch({ messages }: MessageBatch): void {
  count('Worker requests');
  for (const message of messages) {
    const units = unitsOf(message.body);
    count('queue operations', 2 * units);
    replaced(message, 'retry', (retry) => (...args) => {
      count('queue operations', -units);
      return retry(...args);
    });
  }
}
