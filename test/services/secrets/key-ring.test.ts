import { describe, expect, it } from 'vitest';
import {
  createKeyRing,
  isSealed,
  parseKeyRing,
  replaceSealed,
  SecretError,
} from '#src/services/secrets/key-ring.ts';

const key = (fill: number) => new Uint8Array(32).fill(fill);
const ring = createKeyRing({ id: 'k1', key: key(1) });

describe('a key ring', () => {
  it.each(['', 'plain', 'ünïcödé 🙂', 'x'.repeat(100_000), '********', 'sealed:v1:k:i:c'])(
    'opens what it sealed',
    async (plain) => {
      const sealed = await ring.seal(plain, 'a');
      expect(isSealed(sealed)).toBe(true);
      expect(sealed).toMatch(/^sealed:v1:k1:[\w-]{16}:[\w-]+$/);
      expect(await ring.open(sealed, 'a')).toBe(plain);
    },
  );

  it('never produces the same sealed text twice', async () => {
    expect(await ring.seal('a', '')).not.toBe(await ring.seal('a', ''));
  });

  it('rejects a sealed text from another place', async () => {
    await expect(ring.open(await ring.seal('a', 'here'), 'there')).rejects.toThrow(SecretError);
  });

  it('rejects a modified text at any position', async () => {
    const sealed = await ring.seal('a', '');
    const start = 'sealed:v1:k1:'.length;
    for (const index of [start, start + 8, sealed.length - 3]) {
      const other = sealed[index] === 'A' ? 'B' : 'A';
      const changed = sealed.slice(0, index) + other + sealed.slice(index + 1);
      await expect(ring.open(changed, ''), String(index)).rejects.toThrow('was changed');
    }
    await expect(ring.open(sealed.slice(0, -4), '')).rejects.toThrow(SecretError);
    await expect(ring.open('plain', '')).rejects.toThrow('not a sealed text');
  });

  it('reads with previous keys and seals with the current one', async () => {
    const rotated = createKeyRing({ id: 'k2', key: key(2) }, [{ id: 'k1', key: key(1) }]);
    const old = await ring.seal('a', '');
    expect(await rotated.open(old, '')).toBe('a');
    expect(rotated.needsRotation(old)).toBe(true);
    expect(rotated.needsRotation(await rotated.seal('a', ''))).toBe(false);
  });

  it('names the missing key', async () => {
    const other = createKeyRing({ id: 'k9', key: key(9) });
    await expect(other.open(await ring.seal('a', ''), '')).rejects.toThrow('key k1 is not configured');
  });

  it('rejects two keys with the same id', () => {
    expect(() => createKeyRing({ id: 'k', key: key(1) }, [{ id: 'k', key: key(2) }])).toThrow('used twice');
  });
});

describe('configured keys', () => {
  const base64 = (fill: number) => btoa(String.fromCharCode(...key(fill)));

  it('reads a current key and a list of previous keys', async () => {
    const configured = parseKeyRing(`new:${base64(2)}`, `k1:${base64(1)}, older:${base64(3)}`);
    expect(await configured.open(await ring.seal('a', ''), '')).toBe('a');
    expect(await configured.seal('a', '')).toMatch(/^sealed:v1:new:/);
  });

  it.each([
    '',
    'x',
    `:${base64(1)}`,
    'id:',
    `id:${base64(1).slice(0, 20)}`,
    `id:${base64(1)}AAAA`,
    `a b:${base64(1)}`,
  ])('rejects %j without repeating it', (text) => {
    expect(() => parseKeyRing(text)).toThrow(
      'ENCRYPTION_KEY must have the form <key id>:<base64 of 32 bytes>',
    );
  });
});

it('replaces sealed texts inside a URL', async () => {
  const sealed = await ring.seal('"u:p"', '');
  const replaced = await replaceSealed(`https://${sealed}@h.example/?sig=${sealed}&a=1`, async () => 'X');
  expect(replaced).toBe('https://X@h.example/?sig=X&a=1');
});
