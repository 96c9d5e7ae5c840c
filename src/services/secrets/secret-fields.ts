import type { z } from 'zod';
import { Invalid } from '#src/lib/errors.ts';
import { getMember, isRecord } from '#src/lib/schema/zod-walk.ts';
import { hasUrlSecrets, replaceUrlSecrets } from '#src/lib/secrets/secret-names.ts';
import { isSealed, type KeyRing, replaceSealed } from './key-ring.ts';
import { rejectMovedSecrets } from './moved-address.ts';
import { createPlace, isSecretHere, MASK, type Place, stepInto } from './secret-places.ts';

export { MASK } from './secret-places.ts';

/**
 * Encrypts the secrets in a value. `context` names their row and column, such as `data_sinks/<id>/component`.
 * Secrets that are copied to another row, column or path cannot be decrypted.
 */
export function sealSecrets<T>(schema: z.ZodType, value: T, ring: KeyRing, context: string): Promise<T> {
  return seal(createPlace(schema, value), value, ring, context) as Promise<T>;
}

async function seal(place: Place, value: unknown, ring: KeyRing, aad: string): Promise<unknown> {
  if (typeof value === 'object' && value !== null) {
    return mapMembers(value, (member, key) =>
      seal(stepInto(place, key, member), member, ring, `${aad}/${key}`),
    );
  }
  // A client's text that looks like an encrypted one is encrypted too, so that decryption returns exactly
  // what the client sent.
  const whole = place.isSecret || (typeof value === 'string' && value.includes('sealed:v1:'));
  if (whole && isSecretLeaf(value)) return ring.seal(JSON.stringify(value), aad);
  if (typeof value !== 'string' || !hasUrlSecrets(value, place.isAddress)) return value;
  const parts: string[] = [];
  replaceUrlSecrets(value, (part) => String(parts.push(part)), place.isAddress);
  const sealed = await Promise.all(parts.map((part) => ring.seal(JSON.stringify(part), aad)));
  let next = 0;
  return replaceUrlSecrets(value, () => sealed[next++]!, place.isAddress);
}

/**
 * Decrypts the result of `sealSecrets` with the same context. Throws `SecretError` if a secret cannot be
 * decrypted.
 */
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

/** Encrypts the secrets in a value with the current key. Returns `undefined` if all of them already are. */
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

/**
 * Returns the value with every secret replaced by `********`, whether the secret is encrypted or not. Null is
 * not replaced.
 */
export function maskSecrets<T>(schema: z.ZodType, value: T): T {
  return mask(createPlace(schema, value), value) as T;
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
 * Returns the updated value, in which masked and absent secrets keep their stored values. Null removes a
 * secret. List items are matched by their non-secret values. An item with a mask and no match uses the stored
 * item at the same position. Throws `Invalid` for a mask without a stored secret, or if an address changes
 * while secrets are kept.
 */
export function restoreSecrets<T>(
  schema: z.ZodType,
  incoming: T,
  stored: unknown,
  loc: (string | number)[] = ['body'],
): T {
  const place = createPlace(schema, incoming);
  rejectMovedSecrets(place, incoming, stored, loc);
  return restoreValue(place, incoming, stored, loc) as T;
}

type Loc = (string | number)[];

function restoreValue(place: Place, incoming: unknown, stored: unknown, loc: Loc): unknown {
  if (Array.isArray(incoming)) return restoreItems(place, incoming, Array.isArray(stored) ? stored : [], loc);
  if (isRecord(incoming)) return restoreMembers(place, incoming, isRecord(stored) ? stored : {}, loc);
  if (typeof incoming !== 'string') return incoming;
  if (incoming === MASK && (place.isSecret || isSecretHere(place, stored))) {
    return stored === undefined || stored === null ? rejectMask(loc) : stored;
  }
  return incoming.includes(MASK) ? restoreUrlParts(place, incoming, stored, loc) : incoming;
}

function restoreMembers(
  place: Place,
  incoming: Record<string, unknown>,
  stored: Record<string, unknown>,
  loc: Loc,
): Record<string, unknown> {
  const kept = Object.entries(incoming).map(([key, member]) => {
    const inner = stepInto(place, key, member);
    return [
      key,
      member === undefined ? member : restoreValue(inner, member, getMember(stored, key), [...loc, key]),
    ];
  });
  const merged: Record<string, unknown> = Object.fromEntries(kept);
  if (place.isSecretMap) return merged;
  for (const [key, member] of Object.entries(stored)) {
    const inner = stepInto(place, key, member);
    if (merged[key] === undefined && (inner.isSecret || inner.isSecretMap)) merged[key] = member;
  }
  return merged;
}

function restoreItems(place: Place, incoming: unknown[], stored: unknown[], loc: Loc): unknown[] {
  const free = new Set(stored.keys());
  const signatures = stored.map((item, index) => buildSignature(stepInto(place, index, item), item));
  const matches = incoming.map((item, index) => {
    const wanted = buildSignature(stepInto(place, index, item), item);
    const found = [...free].find((each) => signatures[each] === wanted);
    if (found !== undefined) free.delete(found);
    return found;
  });
  return incoming.map((item, index) => {
    // A new list item must not get the credentials of the item that was at its position.
    const hasMask = JSON.stringify(item)?.includes(MASK) ?? false;
    const match = matches[index] ?? (hasMask && free.delete(index) ? index : undefined);
    const before = match === undefined ? undefined : stored[match];
    const inner = stepInto(place, index, item);
    if (isRecord(item)) rejectMovedSecrets(inner, item, before, [...loc, index]);
    return restoreValue(inner, item, before, [...loc, index]);
  });
}

/**
 * Returns a text for comparing values. Differences in secrets, null values and the order of properties are
 * ignored.
 */
function buildSignature(place: Place, value: unknown): string {
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

function restoreUrlParts({ isAddress }: Place, incoming: string, stored: unknown, loc: Loc): string {
  const parts: string[] = [];
  if (typeof stored === 'string') replaceUrlSecrets(stored, (part) => String(parts.push(part)), isAddress);
  let next = 0;
  const restore = (part: string) => {
    const before = parts[next++];
    if (part !== MASK) return part;
    return before ?? rejectMask(loc);
  };
  return replaceUrlSecrets(incoming, restore, isAddress);
}

function rejectMask(loc: Loc): never {
  const msg = 'Value error, the mask ******** keeps a stored secret, but no secret is stored here';
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
