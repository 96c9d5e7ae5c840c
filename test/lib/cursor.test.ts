import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeCursor, encodeCursor } from '#src/lib/cursor.ts';
import { toBase64Url } from '#src/lib/secrets/base64url.ts';

describe('cursors', () => {
  it('decode to the key that was encoded', () => {
    const key = fc.tuple(fc.string({ unit: 'binary' }), fc.integer(), fc.string());
    fc.assert(
      fc.property(key, (values) => {
        const token = encodeCursor(values);
        expect(token).toMatch(/^[\w-]+$/);
        expect(decodeCursor(token, ['string', 'number', 'string'])).toEqual(values);
      }),
    );
  });

  it.each([
    '',
    '%%%',
    'a',
    toBase64Url('nothing'),
    toBase64Url('{}'),
    toBase64Url('["a"]'),
    toBase64Url('["a","b"]'),
    toBase64Url('[1,"a"]'),
    toBase64Url('["a",1,2]'),
    toBase64Url('["a",1e999]'),
    toBase64Url('["a",null]'),
    toBase64Url(new Uint8Array([255, 254])),
  ])('reject %j', (token) => {
    expect(decodeCursor(token, ['string', 'number'])).toBeUndefined();
  });
});
