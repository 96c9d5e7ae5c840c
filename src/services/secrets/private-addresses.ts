import type { z } from 'zod';
import type { Context } from '#src/context/context.ts';
import { Invalid } from '#src/lib/errors.ts';
import { isPrivateHost } from '#src/upstream/address-guard.ts';
import { type Place, placeOf, stepInto } from './secret-places.ts';

type Loc = (string | number)[];

/** Fields whose address is fetched once, when the job runs. The job then fails with the reason. */
const FETCHED_ONCE = new Set(['input_url']);

/**
 * Throws `Invalid` if an input stores an address inside a private network: of a webhook receiver, a data source, a data
 * sink or a model. Such an address would be refused whenever it is called. The issue names the field. Passes everything
 * if the installation allows private addresses.
 */
export function refusePrivateAddresses(
  { settings }: Pick<Context, 'settings'>,
  schema: z.ZodType,
  value: unknown,
  loc: Loc,
): void {
  if (settings.ALLOW_PRIVATE_ADDRESSES) return;
  const found = [...privateAddresses(placeOf(schema, value), value, loc)];
  if (found.length > 0) throw new Invalid(found.map(describe));
}

const describe = (loc: Loc) => ({
  loc,
  type: 'private_address',
  msg: 'The address is not public. Loopback, private, link-local and metadata addresses are refused',
});

function* privateAddresses(place: Place, value: unknown, loc: Loc): Generator<Loc> {
  if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      if (FETCHED_ONCE.has(key)) continue;
      const step = Array.isArray(value) ? Number(key) : key;
      yield* privateAddresses(stepInto(place, step, member), member, [...loc, step]);
    }
  } else if (typeof value === 'string' && place.isAddress && hostsIn(value).some(isPrivateHost)) {
    yield loc;
  }
}

/** Returns the hosts of an address: of a URL, of a connection string with several hosts, or of `host:port` alone. */
function hostsIn(address: string): string[] {
  const [, authority = ''] = /^\s*(?:[a-z][a-z\d+.:-]*:\/\/)?([^/?#\s]*)/i.exec(address) ?? [];
  const hosts = authority.slice(authority.lastIndexOf('@') + 1).split(',');
  return hosts.flatMap((host) => URL.parse(`http://${host}/`)?.hostname ?? []);
}
