import type { z } from 'zod';
import type { Context } from '#src/context/context.ts';
import { Invalid } from '#src/lib/errors.ts';
import { isPrivateHost } from '#src/upstream/address-guard.ts';
import { createPlace, type Place, stepInto } from './secret-places.ts';

type Loc = (string | number)[];

/**
 * Fields with a URL that is only fetched when the job runs. If the address is private, the job itself fails,
 * so the request is not rejected.
 */
const FETCHED_ONCE = new Set(['input_url']);

/**
 * Throws `Invalid` if an input contains a private network address of a webhook, data source, data sink or
 * model. The error names the field. Does nothing if the installation allows private addresses.
 */
export function rejectPrivateAddresses(
  { settings }: Pick<Context, 'settings'>,
  schema: z.ZodType,
  value: unknown,
  loc: Loc,
): void {
  if (settings.ALLOW_PRIVATE_ADDRESSES) return;
  const found = [...findPrivateAddresses(createPlace(schema, value), value, loc)];
  if (found.length > 0) throw new Invalid(found.map(toIssue));
}

const toIssue = (loc: Loc) => ({
  loc,
  type: 'private_address',
  msg: 'The address is not public. Loopback, private, link-local and metadata addresses are refused',
});

function* findPrivateAddresses(place: Place, value: unknown, loc: Loc): Generator<Loc> {
  if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      if (FETCHED_ONCE.has(key)) continue;
      const step = Array.isArray(value) ? Number(key) : key;
      yield* findPrivateAddresses(stepInto(place, step, member), member, [...loc, step]);
    }
  } else if (typeof value === 'string' && place.isAddress && listHosts(value).some(isPrivateHost)) {
    yield loc;
  }
}

/**
 * Returns the host names in an address. The address may be a URL, a connection string with several hosts, or
 * `host:port`.
 */
function listHosts(address: string): string[] {
  const [, authority = ''] = /^\s*(?:[a-z][a-z\d+.:-]*:\/\/)?([^/?#\s]*)/i.exec(address) ?? [];
  const hosts = authority.slice(authority.lastIndexOf('@') + 1).split(',');
  return hosts.flatMap((host) => URL.parse(`http://${host}/`)?.hostname ?? []);
}
