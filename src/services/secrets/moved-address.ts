import { Invalid } from '#src/lib/errors.ts';
import { isRecord, memberOf } from '#src/lib/schema/zod-walk.ts';
import { replaceUrlSecrets } from '#src/lib/secrets/secret-names.ts';
import { MASK, type Place, stepInto } from './secret-places.ts';

type Loc = (string | number)[];

/**
 * Rejects an update that would send stored secrets to a new address, because a caller who may change the
 * address could read the secrets there. The secrets must be sent together with the address. `incoming` is the
 * update as sent, and `stored` is decrypted. Objects in a list are checked separately.
 */
export function refuseMovedSecrets(place: Place, incoming: unknown, stored: unknown, loc: Loc): void {
  const kept = [...keptSecrets(place, incoming, stored, loc)];
  if (kept.length === 0) return;
  const known = new Set(originsOf(place, stored));
  // An address that only the update contains. A missing address was a system's default or was removed.
  const moved = [...originsOf(place, incoming)].some((origin) => !known.has(origin));
  if (!moved) return;
  const msg = 'The address changes, so the secrets that go there have to be sent again';
  throw new Invalid(kept.map((each) => ({ loc: each, type: 'secret_required', msg })));
}

/** Yields paths of secrets that the update would keep, because they are masked or missing. */
function* keptSecrets(place: Place, incoming: unknown, stored: unknown, loc: Loc): Generator<Loc> {
  if (stored === undefined || stored === null) return;
  if (typeof incoming === 'string') {
    if (incoming.includes(MASK)) yield loc;
  } else if (Array.isArray(incoming)) {
    // Objects in a list have addresses of their own and are checked one by one.
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

/** Yields scheme, host and port of every address in a value. */
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
