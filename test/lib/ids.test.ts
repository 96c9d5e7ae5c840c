import { expect, it } from 'vitest';
import { z } from 'zod';
import { newId, newShortId } from '#src/lib/ids.ts';

it('creates unique, ascending UUIDs', () => {
  const ids = Array.from({ length: 10_000 }, () => newId());
  expect(new Set(ids).size).toBe(ids.length);
  expect([...ids].sort()).toEqual(ids);
  expect(ids.every((id) => z.uuid().safeParse(id).success)).toBe(true);
  expect(newId('ext')).toMatch(/^ext-[0-9a-f]{8}-[0-9a-f]{4}-7/);
});

it('creates unique, ascending short ids', () => {
  const ids = Array.from({ length: 10_000 }, () => newShortId());
  expect(new Set(ids).size).toBe(ids.length);
  // Sorted by the codes of the characters, as SQLite does.
  expect([...ids].sort()).toEqual(ids);
  expect(ids.every((id) => /^[\w-]{16}$/.test(id))).toBe(true);
});
