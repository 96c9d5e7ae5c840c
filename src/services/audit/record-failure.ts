import type { Context } from '#src/context/context.ts';
import { derivedId } from '#src/lib/ids.ts';
import { sha256 } from '#src/lib/secrets/hash.ts';
import { type NewAuditEvent, recordEvent } from './record.ts';

const MINUTE_MS = 60_000;
/** Maximum number of events per minute of one way to sign in, however many addresses try it. */
const MAX_PER_MINUTE = 10;

interface Recorded {
  minute: number;
  ids: Set<string>;
}

/** Events that this isolate has stored in the current minute. */
const recordedBySettings = new WeakMap<Context['settings'], Recorded>();

/**
 * Records that a caller without credentials failed to sign in. One event stands for all failures of an address
 * within a minute. The id of the event is derived from the minute and one of ten parts of all addresses, so that
 * unauthenticated requests cannot fill the database.
 */
export async function recordFailure(ctx: Context, event: NewAuditEvent, address: string): Promise<void> {
  const minute = Math.floor(Date.now() / MINUTE_MS);
  const part = Number.parseInt((await sha256(address)).slice(0, 8), 16) % MAX_PER_MINUTE;
  const { organizationId, operation, objectId } = event;
  const id = await derivedId('failure', organizationId, operation, objectId ?? '', minute, part);
  const { ids } = getRecorded(ctx, minute);
  if (ids.has(id)) return;
  ids.add(id);
  await recordEvent(ctx, { ...event, id, outcome: 'failure' });
}

function getRecorded({ settings }: Context, minute: number): Recorded {
  const known = recordedBySettings.get(settings);
  if (known?.minute === minute) return known;
  const fresh = { minute, ids: new Set<string>() };
  recordedBySettings.set(settings, fresh);
  return fresh;
}
