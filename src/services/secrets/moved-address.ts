import { Invalid } from '#src/lib/errors.ts';
import { isRecord, memberOf } from '#src/lib/schema/zod-walk.ts';
import { replaceUrlSecrets } from '#src/lib/secrets/secret-names.ts';
import { MASK, type Place, stepInto } from './secret-places.ts';

type Loc = (string | number)[];

/**
 * Refuses an update that would send stored secrets to a new address: who may change an address need not know the
 * secrets, and would read them there. They have to be sent along with the address. `incoming` is as it was sent,
 * `stored` is open. The objects of a list are no part of what holds the list.
 */
export function refuseMovedSecrets(place: Place, incoming: unknown, stored: unknown, loc: Loc): void {
  const kept = [...keptSecrets(place, incoming, stored, loc)];
  if (kept.length === 0) return;
  const known = new Set(originsOf(place, stored));
  // One that only the update has. An address that is left out was a system's own, or is no more.
  const moved = [...originsOf(place, incoming)].some((origin) => !known.has(origin));
  if (!moved) return;
  const msg = 'The address changes, so the secrets that go there have to be sent again';
  throw new Invalid(kept.map((each) => ({ loc: each, type: 'secret_required', msg })));
}

/** Where a stored secret would stay: masked or left out in the update. */
function* keptSecrets(place: Place, incoming: unknown, stored: unknown, loc: Loc): Generator<Loc> {
  if (stored === undefined || stored === null) return;
  if (typeof incoming === 'string') {
    if (incoming.includes(MASK)) yield loc;
  } else if (Array.isArray(incoming)) {
    // Items that are objects have addresses of their own, and are looked at one by one.
    for (const [index, item] of incoming.entries()) {
      if (!isRecord(item)) yield* keptSecrets(stepInto(place, index, item), item, stored, [...loc, index]);
    }
  } else if (isRecord(incoming)) {
    const names = new Set([...Object.keys(incoming), ...(isRecord(stored) ? Object.keys(stored) : [])]);
    for (const name of names) {
      const before = Array.isArray(stored) ? stored : memberOf(stored, name);
      const member = incoming[name];
      const inner = stepInto(place, name, member ?? before);
      if (member !== undefined) yield* keptSecrets(inner, member, before, [...loc, name]);
      else if (!place.isSecretMap && (inner.isSecret || inner.isSecretMap) && before !== null) {
        yield [...loc, name];
      }
    }
  }
}

/** Scheme, host and port of every address in a value, without credentials and paths. */
function* originsOf(place: Place, value: unknown, name = ''): Generator<string> {
  if (value === MASK) return;
  if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      if (Array.isArray(value) && isRecord(member)) continue;
      yield* originsOf(stepInto(place, key, member), member, key);
    }
  } else if (name === 'port' && value !== null && value !== undefined) {
    yield `port ${value}`;
  } else if (typeof value === 'string' && (place.isAddress || /^\s*[a-z][a-z\d+.-]*:\/\//i.test(value))) {
    const bare = replaceUrlSecrets(value, () => '', true).trim();
    const [, scheme = '', authority = ''] = /^((?:[a-z][a-z\d+.-]*:)+\/\/)?@?([^/?#\s]*)/i.exec(bare) ?? [];
    yield (scheme + authority).toLowerCase();
  }
}
