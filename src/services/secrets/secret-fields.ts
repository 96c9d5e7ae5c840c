import type { z } from 'zod';
import { Invalid } from '#src/lib/errors.ts';
import { isRecord, memberOf } from '#src/lib/schema/zod-walk.ts';
import { hasUrlSecrets, replaceUrlSecrets } from '#src/lib/secrets/secret-names.ts';
import { isSealed, type KeyRing, replaceSealed } from './key-ring.ts';
import { refuseMovedSecrets } from './moved-address.ts';
import { isSecretHere, MASK, type Place, placeOf, stepInto } from './secret-places.ts';

export { MASK } from './secret-places.ts';

/**
 * Encrypts the secrets of a value, each bound to `context` and its own path. `context` names the row and
 * column (`data_sinks/<id>/component`): what is copied to another row does not open there.
 */
export function sealSecrets<T>(schema: z.ZodType, value: T, ring: KeyRing, context: string): Promise<T> {
  return seal(placeOf(schema, value), value, ring, context) as Promise<T>;
}

async function seal(place: Place, value: unknown, ring: KeyRing, aad: string): Promise<unknown> {
  if (typeof value === 'object' && value !== null) {
    return mapMembers(value, (member, key) =>
      seal(stepInto(place, key, member), member, ring, `${aad}/${key}`),
    );
  }
  // What merely looks sealed is sealed too, so that opening gives back exactly what came in.
  const whole = place.isSecret || (typeof value === 'string' && value.includes('sealed:v1:'));
  if (whole && isSecretLeaf(value)) return ring.seal(JSON.stringify(value), aad);
  if (typeof value !== 'string' || !hasUrlSecrets(value, place.isAddress)) return value;
  const parts: string[] = [];
  replaceUrlSecrets(value, (part) => String(parts.push(part)), place.isAddress);
  const sealed = await Promise.all(parts.map((part) => ring.seal(JSON.stringify(part), aad)));
  let next = 0;
  return replaceUrlSecrets(value, () => sealed[next++]!, place.isAddress);
}

/** Decrypts what `sealSecrets` encrypted under the same context. Throws `SecretError`. */
export function openSecrets<T>(value: T, ring: KeyRing, context: string): Promise<T> {
  return open(value, ring, context) as Promise<T>;
}

async function open(value: unknown, ring: KeyRing, aad: string): Promise<unknown> {
  if (typeof value === 'object' && value !== null) {
    return mapMembers(value, (member, key) => open(member, ring, `${aad}/${key}`));
  }
  if (typeof value !== 'string') return value;
  if (isSealed(value)) return JSON.parse(await ring.open(value, aad));
  return replaceSealed(value, async (sealed) => JSON.parse(await ring.open(sealed, aad)));
}

/** The value under the current key, or undefined when nothing in it needs that. For key rotation. */
export async function resealSecrets<T>(value: T, ring: KeyRing, context: string): Promise<T | undefined> {
  let changed = false;
  const reseal = async (node: unknown, aad: string): Promise<unknown> => {
    if (typeof node === 'object' && node !== null) {
      return mapMembers(node, (member, key) => reseal(member, `${aad}/${key}`));
    }
    if (typeof node !== 'string') return node;
    return replaceSealed(node, async (sealed) => {
      if (!ring.needsRotation(sealed)) return sealed;
      changed = true;
      return ring.seal(await ring.open(sealed, aad), aad);
    });
  };
  const resealed = (await reseal(value, context)) as T;
  return changed ? resealed : undefined;
}

/** The value as clients may see it, whether it is sealed or open: `********` for each secret, null stays null. */
export function maskSecrets<T>(schema: z.ZodType, value: T): T {
  return mask(placeOf(schema, value), value) as T;
}

function mask(place: Place, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item, index) => mask(stepInto(place, index, item), item));
  if (isRecord(value)) {
    const members = Object.entries(value).map(([key, member]) => [
      key,
      mask(stepInto(place, key, member), member),
    ]);
    return Object.fromEntries(members);
  }
  if (place.isSecret) return isSecretLeaf(value) ? MASK : value;
  if (typeof value !== 'string') return value;
  return isSealed(value) ? MASK : replaceUrlSecrets(value, () => MASK, place.isAddress);
}

/**
 * An update's value with the secrets that were not sent again: where the mask came back, or a secret is
 * absent, the stored one stays; null clears it. Everything that is not secret is taken from `incoming` as it
 * is. `stored` is open, of the same kind. A mask with nothing behind it is `Invalid`, at `loc` and its path.
 *
 * A map of secrets that is sent replaces the stored map. Items of an array find their stored item by what is
 * not secret in them; an item with a mask that finds none takes the one at its position. Where an address changes,
 * no secret is kept: `Invalid` names those that have to be sent again.
 */
export function keepMasked<T>(
  schema: z.ZodType,
  incoming: T,
  stored: unknown,
  loc: (string | number)[] = ['body'],
): T {
  const place = placeOf(schema, incoming);
  refuseMovedSecrets(place, incoming, stored, loc);
  return keep(place, incoming, stored, loc) as T;
}

type Loc = (string | number)[];

function keep(place: Place, incoming: unknown, stored: unknown, loc: Loc): unknown {
  if (Array.isArray(incoming)) return keepItems(place, incoming, Array.isArray(stored) ? stored : [], loc);
  if (isRecord(incoming)) return keepMembers(place, incoming, isRecord(stored) ? stored : {}, loc);
  if (typeof incoming !== 'string') return incoming;
  if (incoming === MASK && (place.isSecret || isSecretHere(place, stored))) {
    return stored === undefined || stored === null ? refuseMask(loc) : stored;
  }
  return incoming.includes(MASK) ? keepUrlParts(place, incoming, stored, loc) : incoming;
}

function keepMembers(
  place: Place,
  incoming: Record<string, unknown>,
  stored: Record<string, unknown>,
  loc: Loc,
): Record<string, unknown> {
  const kept = Object.entries(incoming).map(([key, member]) => {
    const inner = stepInto(place, key, member);
    return [key, member === undefined ? member : keep(inner, member, memberOf(stored, key), [...loc, key])];
  });
  const merged: Record<string, unknown> = Object.fromEntries(kept);
  if (place.isSecretMap) return merged;
  for (const [key, member] of Object.entries(stored)) {
    const inner = stepInto(place, key, member);
    if (merged[key] === undefined && (inner.isSecret || inner.isSecretMap)) merged[key] = member;
  }
  return merged;
}

function keepItems(place: Place, incoming: unknown[], stored: unknown[], loc: Loc): unknown[] {
  const free = new Set(stored.keys());
  const signatures = stored.map((item, index) => signature(stepInto(place, index, item), item));
  const matches = incoming.map((item, index) => {
    const wanted = signature(stepInto(place, index, item), item);
    const found = [...free].find((each) => signatures[each] === wanted);
    if (found !== undefined) free.delete(found);
    return found;
  });
  return incoming.map((item, index) => {
    // An item that is new altogether must not inherit credentials of the one whose position it took.
    const asksForStored = JSON.stringify(item)?.includes(MASK) ?? false;
    const match = matches[index] ?? (asksForStored && free.delete(index) ? index : undefined);
    const before = match === undefined ? undefined : stored[match];
    const inner = stepInto(place, index, item);
    if (isRecord(item)) refuseMovedSecrets(inner, item, before, [...loc, index]);
    return keep(inner, item, before, [...loc, index]);
  });
}

/** Equal for two values that differ only in secrets, null members and the order of members. */
function signature(place: Place, value: unknown): string {
  const masked = mask(place, value);
  const publicPart = (each: Place, node: unknown): unknown => {
    if (Array.isArray(node)) return node.map((item, index) => publicPart(stepInto(each, index, item), item));
    if (!isRecord(node)) return node === MASK ? null : node;
    const members = Object.entries(node)
      .map(([key, member]) => ({ key, member, inner: stepInto(each, key, member) }))
      .filter(({ member, inner }) => member !== null && !inner.isSecret && !inner.isSecretMap)
      .toSorted((a, b) => (a.key < b.key ? -1 : 1));
    return members.map(({ key, member, inner }) => [key, publicPart(inner, member)]);
  };
  return JSON.stringify(publicPart(place, masked)) ?? '';
}

function keepUrlParts({ isAddress }: Place, incoming: string, stored: unknown, loc: Loc): string {
  const parts: string[] = [];
  if (typeof stored === 'string') replaceUrlSecrets(stored, (part) => String(parts.push(part)), isAddress);
  let next = 0;
  const restore = (part: string) => {
    const before = parts[next++];
    if (part !== MASK) return part;
    return before ?? refuseMask(loc);
  };
  return replaceUrlSecrets(incoming, restore, isAddress);
}

function refuseMask(loc: Loc): never {
  const msg = 'Value error, the mask stands for a stored secret, and none is stored here';
  throw new Invalid([{ loc, type: 'value_error', msg }]);
}

function isSecretLeaf(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number';
}

async function mapMembers(
  value: object,
  change: (member: unknown, key: string | number) => Promise<unknown>,
): Promise<unknown> {
  if (Array.isArray(value)) return Promise.all(value.map(change));
  const members = Object.entries(value).map(
    async ([key, member]) => [key, await change(member, key)] as const,
  );
  return Object.fromEntries(await Promise.all(members));
}
