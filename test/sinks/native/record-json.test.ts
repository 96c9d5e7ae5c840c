import { expect, it } from 'vitest';
import { encodedRecord, encodeRecord } from '#src/sinks/native/record-json.ts';
import { toNewRecord } from '#test/support/new-record.ts';

it('returns every field of a record unchanged', () => {
  const { rowId, version, keywords, length, chunk } = toNewRecord('a\u0000b \ud800 "c" \\ \u{1f600}', 3);
  const record = {
    ...{ rowId, version, keywords: `${keywords}harbour\n`, length },
    chunk: {
      ...chunk,
      ...{
        headings: ['One', '\udfff'],
        startPage: 0,
        endPage: 2,
        member: 'a.zip/b',
        previousId: 'p',
        nextId: 'n',
      },
      metadata: JSON.parse('{"__proto__":"own","n":1.5,"b":true,"none":null,"list":["x",2]}'),
    },
  };
  const text = encodeRecord(record);
  expect(text.isWellFormed()).toBe(true);
  const decoded = encodedRecord.parse(text);
  expect(decoded).toEqual(record);
  expect(Object.entries(decoded.chunk.metadata)).toEqual(Object.entries(record.chunk.metadata));
});

it.each(['', 'no JSON', '{}', 'null', '{"rowId":"a","version":1,"keywords":"","length":1,"chunk":{}}'])(
  'rejects %j',
  (text) => {
    expect(encodedRecord.safeParse(text).success).toBe(false);
  },
);
