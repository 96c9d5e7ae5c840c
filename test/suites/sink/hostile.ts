import { describe, expect, test } from 'vitest';
import type { Filter, FilterOperator } from '#src/ports/index-types.ts';
import { document } from './content.ts';
import { idsNear, put, type SinkFixture } from './fixture.ts';

/** Texts with a special meaning for some store, protocol or language. */
const HOSTILE = [
  `'; DROP TABLE chunk; --`,
  `" OR "1"="1`,
  `') OR 1=1 --`,
  `\\'; \\"`,
  '$(id) `id` $1',
  '{{7*7}} %s %00',
  '{"$ne": null}',
  '$where',
  'a.b[0].c',
  '__proto__',
  'constructor',
  '* OR *:*',
  'search.in(id, "x")',
  "id ne 'x' or true",
  '%_\\%',
  '../../etc/passwd?a=b&c#d',
  'null',
  'line\r\nX-Header: 1',
  '\tтекст 文本 نص \u{1f600}\u{200d}\u{1f680}',
  'e\u0301 \u{212b} ﬁ',
  'a\u0000b',
  '\u202eright to left',
  'x'.repeat(400),
];

/** Tests that document content is treated as plain text. */
export function hostileRules({ fresh, capabilities }: SinkFixture) {
  const can = (operator: FilterOperator) => capabilities.filters.operators.includes(operator);

  describe('hostile text', () => {
    test.each(HOSTILE)('%j is stored unchanged as id, title, key, value and text', async (text) => {
      const open = fresh();
      const metadata = Object.fromEntries([
        [text, text],
        [`list ${text}`, [text, 'other']],
      ]);
      await put(open(), document('plain', 1, { metadata: { key: 'value' } }), ['plain text']);
      await put(open(), document(text, 1, { title: text, metadata }), [`before ${text} after`]);
      const mine = [`${text}/1/0`];
      const stored = await open().listChunks(text);
      expect(stored).toMatchObject([
        { id: mine[0], documentId: text, title: text, text: `before ${text} after` },
      ]);
      expect(Object.entries(stored[0]!.metadata).toSorted()).toEqual(Object.entries(metadata).toSorted());

      const filtered = (filter: Filter) => idsNear(open(), 'x', { condition: 'and', filters: [filter] });
      for (const operator of ['==', 'contains', 'text_match', 'text_match_insensitive'] as const) {
        if (can(operator))
          expect(await filtered({ key: text, operator, value: text }), operator).toEqual(mine);
      }
      for (const operator of ['in', 'any', 'all'] as const) {
        const filter = { key: `list ${text}`, operator, value: [text] };
        if (can(operator)) expect(await filtered(filter), operator).toEqual(mine);
      }
      if (can('==')) expect(await filtered({ key: 'key', operator: '==', value: text })).toEqual([]);
      if (can('!=')) {
        expect(await filtered({ key: text, operator: '!=', value: text })).toEqual(['plain/1/0']);
      }
      if (can('is_empty')) {
        expect(await filtered({ key: text, operator: 'is_empty', value: null })).toEqual(['plain/1/0']);
      }
      if (capabilities.sparse === 'native') {
        const { sparse } = await open().query({ text: `${text} before`, denseTopK: 0, sparseTopK: 5 });
        expect(sparse[0]?.id).toBe(mine[0]);
      }

      await open().describe({ documentId: text, title: `${text}!`, metadata: {} });
      expect(await open().listChunks(text)).toMatchObject([{ title: `${text}!`, metadata: {} }]);
      await open().remove([text], 2);
      expect(await idsNear(open())).toEqual(['plain/1/0']);
      expect(await put(open(), document(text, 1), ['late'])).toBe(false);
    });
  });
}
