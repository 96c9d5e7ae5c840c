import type { z } from 'zod';
import { Invalid } from '#src/lib/errors.ts';
import { isRecord, memberOf } from '#src/lib/schema/zod-walk.ts';
import { hasUrlSecrets, replaceUrlSecrets } from '#src/lib/secrets/secret-names.ts';
import { isSealed, type KeyRing, replaceSealed } from './key-ring.ts';
import { refuseMovedSecrets } from './moved-address.ts';
import { isSecretHere, MASK, type Place, placeOf, stepInto } from './secret-places.ts';

export { MASK } from './secret-places.ts';

/**
 * Encrypts the secrets of a value, each bound to `context` and its path. `context` names row and column
 * (`data_sinks/<id>/component`), so that a value copied to another row cannot be opened.
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
  // A text that merely looks sealed is sealed too, so that opening returns exactly the original.
  const whole = place.isSecret || (typeof value === 'string' && value.includes('sealed:v1:'));
  if (whole && isSecretLeaf(value)) return ring.seal(JSON.stringify(value), aad);
  if (typeof value !== 'string' || !hasUrlSecrets(value, place.isAddress)) return value;
  const parts: string[] = [];
  replaceUrlSecrets(value, (part) => String(parts.push(part)), place.isAddress);
  const sealed = await Promise.all(parts.map((part) => ring.seal(JSON.stringify(part), aad)));
  let next = 0;
  return replaceUrlSecrets(value, () => sealed[next++]!, place.isAddress);
}

/** Decrypts the result of `sealSecrets` with the same context. Throws `SecretError`. */
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

/** Re-encrypts a value with the current key; undefined if nothing needs it. Used by key rotation. */
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

/** Returns the value with every secret masked as `********`, whether sealed or not. Null stays null. */
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
 * Returns the updated value with unsent secrets filled in. A masked or absent secret keeps the stored one,
 * and null clears it. Everything else is taken from `incoming`. `stored` is decrypted and of the same kind. A
 * mask without a stored secret throws `Invalid` at its path below `loc`. A map of secrets replaces the stored
 * map. List items are matched by their non-secret members; an item with a mask and no match takes the one at
 * its position. If an address changes, no secret is kept, and `Invalid` names those to send again.
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
    // A new item must not inherit the credentials of the item that was at its position.
    const asksForStored = JSON.stringify(item)?.includes(MASK) ?? false;
    const match = matches[index] ?? (asksForStored && free.delete(index) ? index : undefined);
    const before = match === undefined ? undefined : stored[match];
    const inner = stepInto(place, index, item);
    if (isRecord(item)) refuseMovedSecrets(inner, item, before, [...loc, index]);
    return keep(inner, item, before, [...loc, index]);
  });
}

/** Returns a text that is equal for values which differ only in secrets, null members and member order. */
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
