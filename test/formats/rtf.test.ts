import { describe, expect, it } from 'vitest';
import { openDocument } from '#src/formats/registry.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import { parserSuite, readAll } from '#test/suites/parser.suite.ts';
import { png } from './fixtures/pictures.ts';

const latin1 = (text: string) => Uint8Array.from(text, (one) => one.charCodeAt(0));
const hex = (bytes: Uint8Array) => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');

const rtf = (body: string) =>
  latin1(
    `{\\rtf1\\ansi\\ansicpg1252\\deff0{\\fonttbl{\\f0 Arial;}{\\f1\\fcharset128 Mincho;}{\\f2\\fcharset204 Arial Cyr;}}{\\stylesheet{\\s1 heading 1;}{\\s2 heading 2;}}{\\info{\\title A fixture}{\\author Ada}{\\creatim\\yr2024\\mo3\\dy1\\hr10\\min5}}${body}}`,
  );

const BODY = async () =>
  [
    '{\\header Running head\\par}',
    '\\pard\\s2 A title\\par',
    "\\pard\\plain Caf\\'e9 {\\b bold} and {\\i slanted}{\\v  secret} \\u8364? \\u-10179?\\u-8704?\\par",
    "\\pard{\\f1 \\'93\\'fa\\'96\\'7b}\\par{\\f2 \\'cf\\'f0\\'e8}\\par",
    '{\\field{\\*\\fldinst HYPERLINK "https://example.org/a"}{\\fldrslt a link}}\\par',
    '{\\listtext\\bullet\\tab}one\\par{\\listtext\\bullet\\tab}two\\par',
    '\\trowd\\intbl A\\cell B\\cell\\row\\trowd\\intbl 1\\cell 2\\cell\\row\\pard',
    `{\\pict\\pngblip\n${hex(await png())}}\\par`,
    '\\page After the break{\\*\\unknown dropped}\\par',
  ].join('\n');

parserSuite({
  kind: 'rtf',
  holds: {
    headings: 1,
    tables: 1,
    lists: 1,
    links: 1,
    figures: 1,
    metadata: ['title', 'author', 'language'],
  },
  bytes: async () => rtf(await BODY()),
  markdown: [
    'Running head\n\n## A title\n\nCafé **bold** and *slanted* secret € 😀\n\n日本\n\nПри\n\n[a link](https://example.org/a)\n\n- one\n- two\n\n| A   | B   |\n| --- | --- |\n| 1   | 2   |\n\n![](image-1.png)',
    'After the break',
  ],
});

describe('rtf', () => {
  it('reads its properties and omits hidden text and headers on request', async () => {
    const parameters = { remove_hidden_text: true, hide_headers: true };
    const document = await openDocument({
      bytes: rtf(await BODY()),
      name: '',
      plan: resolveParsePlan(parameters),
    });
    const text = (await readAll(document)).map((page) => page.text).join('\n');
    expect(text).not.toMatch(/secret|Running/);
    expect(document.metadata).toMatchObject({
      title: 'A fixture',
      author: 'Ada',
      createdAt: '2024-03-01T10:05:00.000Z',
    });
  });

  it('rejects endlessly nested groups', async () => {
    const opening = openDocument({ bytes: rtf('{'.repeat(100_000)), name: '', plan: resolveParsePlan({}) });
    await expect(opening).rejects.toMatchObject({ reason: 'FILE_IS_BROKEN' });
  });
});
