import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type ByteLine, LineSplitter } from '#src/lib/text/byte-lines.ts';

const encoder = new TextEncoder();

/** Splits a text that arrives in chunks of the given lengths, and then in one last chunk. */
function split(text: string, lengths: readonly number[], maxBytes: number): ByteLine[] {
  const splitter = new LineSplitter(maxBytes);
  const bytes = encoder.encode(text);
  const lines: ByteLine[] = [];
  let at = 0;
  for (const length of [...lengths, bytes.byteLength]) {
    lines.push(...splitter.push(bytes.slice(at, at + length)));
    at += length;
  }
  return [...lines, ...splitter.end()];
}

it('gives the same lines however their bytes arrive', () => {
  const texts = fc.string({ unit: fc.constantFrom('a', 'é', '\n', '数', '\r') });
  fc.assert(
    fc.property(
      texts,
      fc.array(fc.integer({ min: 0, max: 5 })),
      fc.integer({ min: 0, max: 8 }),
      (text, lengths, most) => {
        const wanted = text.split('\n');
        if (wanted.at(-1) === '') wanted.pop();
        let end = 0;
        const expected = wanted.map((line) => {
          const { byteLength } = encoder.encode(line);
          end = Math.min(end + byteLength + 1, encoder.encode(text).byteLength);
          return { text: byteLength > most ? undefined : line, end };
        });
        const found = split(text, lengths, most).map((line) => ({
          text: line.bytes && new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(line.bytes),
          end: line.end,
        }));
        expect(found).toEqual(expected);
      },
    ),
  );
});
