import { Invalid } from '#src/lib/errors.ts';
import { getMember, isRecord } from '#src/lib/schema/zod-walk.ts';
import { replaceUrlSecrets } from '#src/lib/secrets/secret-names.ts';
import { MASK, type Place, stepInto } from './secret-places.ts';

type Loc = (string | number)[];

/**
 * Throws Invalid if an update would send stored secrets to a new address, where a caller without access to
 * them could read them. The caller must send the secrets again. `incoming` is the update as sent, and
 * `stored` is the decrypted value.
 */
export function rejectMovedSecrets(place: Place, incoming: unknown, stored: unknown, loc: Loc): void {
  const kept = [...listKeptSecrets(place, incoming, stored, loc)];
  if (kept.length === 0) return;
  const known = new Set(listOrigins(place, stored));
  // Only added addresses are checked. An address that the update lacks was removed, or the system's default
  // applies.
  const moved = [...listOrigins(place, incoming)].some((origin) => !known.has(origin));
  if (!moved) return;
  const msg = 'The address changed, so its secrets must be sent again';
  throw new Invalid(kept.map((each) => ({ loc: each, type: 'secret_required', msg })));
}

/** Yields the paths of secrets that the update keeps, because they are masked or missing in it. */
function* listKeptSecrets(place: Place, incoming: unknown, stored: unknown, loc: Loc): Generator<Loc> {
  if (stored === undefined || stored === null) return;
  if (typeof incoming === 'string') {
    if (incoming.includes(MASK)) yield loc;
  } else if (Array.isArray(incoming)) {
    for (const [index, item] of incoming.entries()) {
      if (!isRecord(item))
        yield* listKeptSecrets(stepInto(place, index, item), item, stored, [...loc, index]);
    }
  } else if (isRecord(incoming)) {
    const names = new Set([...Object.keys(incoming), ...(isRecord(stored) ? Object.keys(stored) : [])]);
    for (const name of names) {
      const before = Array.isArray(stored) ? stored : getMember(stored, name);
      const member = incoming[name];
      const inner = stepInto(place, name, member ?? before);
      if (member !== undefined) yield* listKeptSecrets(inner, member, before, [...loc, name]);
      else if (!place.isSecretMap && (inner.isSecret || inner.isSecretMap) && before !== null) {
        yield [...loc, name];
      }
    }
  }
}

/** Yields the scheme, host and port of every URL in a value. */
function* listOrigins(place: Place, value: unknown, name = ''): Generator<string> {
  if (value === MASK) return;
  if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      if (Array.isArray(value) && isRecord(member)) continue;
      yield* listOrigins(stepInto(place, key, member), member, key);
    }
  } else if (name === 'port' && value !== null && value !== undefined) {
    yield `port ${value}`;
  } else if (typeof value === 'string' && (place.isAddress || /^\s*[a-z][a-z\d+.-]*:\/\//i.test(value))) {
    const bare = replaceUrlSecrets(value, () => '', true).trim();
    const [, scheme = '', authority = ''] = /^((?:[a-z][a-z\d+.-]*:)+\/\/)?@?([^/?#\s]*)/i.exec(bare) ?? [];
    yield (scheme + authority).toLowerCase();
  }
}
