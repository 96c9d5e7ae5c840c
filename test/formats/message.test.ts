import { describe, expect, it } from 'vitest';
import { decompressRtf } from '#src/formats/msg/index.ts';
import { openDocument } from '#src/formats/registry.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import { parserSuite, readAll } from '#test/suites/parser.suite.ts';
import { encode } from './fixtures/encode.ts';
import { compressedRtf, type Message, outlookMessage } from './fixtures/message.ts';
import { png } from './fixtures/pictures.ts';
import { docx, paragraph, run } from './fixtures/word.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);
const open = (message: Message) =>
  openDocument({ bytes: outlookMessage(message), name: 'a.msg', plan: resolveParsePlan({}) });
const firstPage = async (properties: Message['properties'], more: Partial<Message> = {}) =>
  (await (await open({ properties, ...more })).readPage(0)).markdown;

const SENT = new Date('2024-03-01T10:00:00Z');
const HEADERS = { 55: 'Grüße', 3098: 'Ada', 3103: '/O=EX/CN=ADA', 23809: 'ada@example.org', 57: SENT };

async function mail(): Promise<Uint8Array> {
  const picture = await png();
  return outlookMessage({
    properties: {
      ...HEADERS,
      4149: '<1@example.org>',
      4115: utf8(
        '<html><head><meta charset="utf-8"></head><body><p>Café <b>now</b>, <a href="https://example.org/">here</a></p><img src="cid:pic" alt="shown"></body></html>',
      ),
    },
    recipients: [
      { 12289: 'Bob, B.', 14846: 'bob@example.org', 3093: 1 },
      { 12289: 'carol@example.org', 12291: 'carol@example.org', 3093: 1 },
      { 12289: 'Dan', 12291: '/O=EX/CN=DAN', 3093: 2 },
    ],
    attachments: [
      { 14087: 'pic.png', 14098: 'pic', 14081: picture },
      { 14087: 'report.docx', 14084: 'REPORT~1.DOC', 14081: docx(paragraph(run('Attached words')), picture) },
      {
        properties: { 12289: 'An earlier message' },
        message: {
          properties: { 55: 'Earlier', 4096: 'The words of before.' },
          attachments: [{ 14087: 'deep.txt', 14081: utf8('Words in the depth') }],
        },
      },
      { 14087: 'odd.bin', 14081: Uint8Array.from({ length: 600 }, (_, at) => (at * 37) & 255) },
    ],
  });
}

parserSuite({
  kind: 'msg',
  holds: {
    headings: 4,
    lists: 2,
    links: 1,
    figures: 1,
    labels: ['1', 'report.docx', 'An earlier message.msg, 1', 'An earlier message.msg/deep.txt'],
    metadata: ['title', 'author', 'language'],
  },
  bytes: mail,
  parameters: { hide_headers: true, hide_footers: true },
  markdown: [
    '# Grüße\n\n**From:** Ada <ada@example.org>  \n**To:** Bob, B. <bob@example.org>, carol@example.org  \n**Cc:** Dan  \n**Date:** Fri, 01 Mar 2024 10:00:00 GMT  \n**Subject:** Grüße\n\nCafé **now**, [here](https://example.org/)\n\n![shown](image-1.png)\n\n## Attachments\n\n- report.docx\n- An earlier message.msg\n- odd.bin (not read: UNSUPPORTED_FILE_TYPE: Sluice does not read this file (.bin).)',
    'Attached words',
    '# Earlier\n\n**Subject:** Earlier\n\nThe words of before.\n\n## Attachments\n\n- deep.txt',
    'Words in the depth',
  ],
  hasSignature: true,
});

describe('Outlook message', () => {
  it('lists attachments, including nested ones', async () => {
    const document = await openDocument({ bytes: await mail(), name: '', plan: resolveParsePlan({}) });
    expect((await readAll(document)).map(({ member }) => member?.path)).toEqual([
      undefined,
      'report.docx',
      'An earlier message.msg',
      'An earlier message.msg/deep.txt',
    ]);
    expect(document.metadata).toMatchObject({
      title: 'Grüße',
      author: 'Ada',
      createdAt: '2024-03-01T10:00:00.000Z',
      messageId: '<1@example.org>',
      failedAttachments: [{ name: 'odd.bin', reason: expect.stringContaining('UNSUPPORTED_FILE_TYPE') }],
    });
  });

  it('reads rich text, and plain text if the rich text only wraps plain text', async () => {
    const rich = compressedRtf('{\\rtf1\\ansi Rich {\\b words} here.   }');
    expect(await firstPage({ ...HEADERS, 4096: 'Plain', 4105: rich })).toContain('Rich **words** here.');
    const plain = compressedRtf('{\\rtf1\\ansi\\fromtext Plain as rich. }  ');
    expect(await firstPage({ ...HEADERS, 4096: 'Plain alone', 4105: plain })).toContain('Plain alone');
  });

  it('reads HTML that is packed into rich text', async () => {
    const packed = compressedRtf(
      '{\\rtf1\\ansi\\fromhtml1 {\\*\\htmltag64 <p>}Hello {\\*\\htmltag84 <b>}there{\\*\\htmltag92 </b>}{\\*\\htmltag72 </p>}}',
    );
    expect(await firstPage({ ...HEADERS, 4096: 'Plain', 4105: packed })).toContain('Hello **there**');
  });

  it('decompresses RTF as in the example of the specification', () => {
    // [MS-OXRTFCP], section 4.1.1: an example of compressed RTF.
    const packed =
      '2d0000002b0000004c5a4675f1c5c7a703000a007263706731323542320af32068656c090020627705b06c647d0a800fa0';
    const bytes = Uint8Array.from(packed.match(/../g)!, (pair) => Number.parseInt(pair, 16));
    expect(new TextDecoder().decode(decompressRtf(bytes))).toBe(
      '{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n',
    );
  });

  it('decodes non-Unicode text by the code page in the message', async () => {
    const narrow = (text: string) => encode('windows-1251', text);
    const page = await firstPage(
      { 55: 'Отчёт', 4096: 'Работа идёт.', 16381: 1251 },
      { narrow, recipients: [{ 12289: 'Анна', 3093: 1 }] },
    );
    expect(page).toBe('# Отчёт\n\n**To:** Анна  \n**Subject:** Отчёт\n\nРабота идёт.');
    const html = encode('windows-1251', '<p>Работа</p>');
    expect(await firstPage({ ...HEADERS, 4115: html, 16350: 1251 })).toContain('Работа');
  });

  it('uses the display names if there is no recipient list', async () => {
    expect(await firstPage({ ...HEADERS, 3588: 'Bob; Carol', 4096: 'x' })).toContain('**To:** Bob; Carol');
  });
});
