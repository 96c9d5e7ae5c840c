import { type Input, indexed } from '#test/process/hostile/input.ts';
import { bytesOfText, concat } from '#test/support/hostile-documents/document.ts';

const KIB = 1024;
const repeatBytes = (bytes: number[], times: number) =>
  new Uint8Array(bytes.length * times).map((_, at) => bytes[at % bytes.length]!);

/** Bytes that look random and are the same in each run. */
function scatter(length: number): Uint8Array {
  let state = 2_463_534_242;
  return new Uint8Array(length).map(() => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state & 255;
  });
}

function utf16(text: string, isLittle: boolean): Uint8Array {
  const bytes = new Uint8Array(text.length * 2);
  const view = new DataView(bytes.buffer);
  for (let at = 0; at < text.length; at++) view.setUint16(at * 2, text.charCodeAt(at), isLittle);
  return bytes;
}

const charset = (name: string, file: string, content: () => string | Uint8Array) =>
  indexed(`charset: ${name}`, file, content);

const mail = (type: string, body: string | Uint8Array) =>
  concat([`From: a@b.example\r\nMessage-ID: <d>\r\nContent-Type: ${type}\r\n`, body]);

/** Texts in encodings that are wrong, cut off, mixed, or claimed and not there. */
export const charsets: Input[] = [
  charset('bytes that no UTF-8 has', 'a.txt', () => repeatBytes([0xff, 0xfe, 0xc0, 0x80], 256 * KIB)),
  charset('UTF-8 sequences without their ends', 'a.txt', () => repeatBytes([0xf0, 0x9f, 0x98], 300 * KIB)),
  charset('continuation bytes alone', 'a.txt', () => repeatBytes([0x80], 1000 * KIB)),
  charset('lone surrogates in UTF-8', 'a.txt', () => repeatBytes([0xed, 0xa0, 0x80], 300 * KIB)),
  charset('UTF-16 without a mark', 'a.txt', () => utf16('lighthouse ', true).slice(0, 22)),
  charset('UTF-16 of lone surrogates', 'a.txt', () =>
    concat(['\xff\xfe', repeatBytes([0, 0xd8], 300 * KIB)]),
  ),
  charset('UTF-16 of an odd length', 'a.txt', () =>
    concat(['\xfe\xff', utf16('keeper '.repeat(40_000), false), 'x']),
  ),
  charset('UTF-32 with a mark', 'a.txt', () =>
    concat(['\xff\xfe\0\0', repeatBytes([0x61, 0, 0, 0], 100 * KIB)]),
  ),
  charset('zero bytes', 'a.txt', () => new Uint8Array(1000 * KIB)),
  charset('all control characters', 'a.txt', () =>
    repeatBytes(
      Array.from({ length: 32 }, (_, at) => at),
      32 * KIB,
    ),
  ),
  charset('byte order marks', 'a.txt', () => repeatBytes([0xef, 0xbb, 0xbf], 300 * KIB)),
  charset('scattered bytes as text', 'a.txt', () => scatter(500 * KIB)),
  charset('scattered bytes as a table', 'a.csv', () => concat(['a,b\n', scatter(500 * KIB)])),
  charset('escapes of ISO-2022-JP', 'a.txt', () =>
    repeatBytes([0x1b, 0x24, 0x42, 0x1b, 0x28, 0x42], 100 * KIB),
  ),
  charset('first halves of Shift JIS', 'a.txt', () => repeatBytes([0x81], 500 * KIB)),
  charset('sequences of GB 18030', 'a.txt', () => repeatBytes([0x81, 0x30, 0x81, 0x30], 200 * KIB)),
  charset(
    'shifts of UTF-7',
    'a.html',
    () => `<!doctype html><meta charset="utf-7"><p>${'+AGE-+'.repeat(100_000)}`,
  ),
  charset('EBCDIC', 'a.txt', () => repeatBytes([0xc8, 0x85, 0x93, 0x93, 0x96, 0x40], 100 * KIB)),
  charset('HTML whose claim is wrong', 'a.html', () =>
    concat(['<!doctype html><meta charset="utf-16"><p>', scatter(200 * KIB)]),
  ),
  charset(
    'HTML with 50,000 claims',
    'a.html',
    () => `<!doctype html>${'<meta charset="x-user-defined">'.repeat(50_000)}<p>x`,
  ),
  charset(
    'XML whose claim has 1 MB',
    'a.xml',
    () => `<?xml version="1.0" encoding="${'utf-8 '.repeat(170_000)}"?><a>x</a>`,
  ),
  charset('a mail of an unknown charset', 'a.eml', () =>
    mail('text/plain; charset="x-none"', concat(['\r\n', scatter(200 * KIB)])),
  ),
  charset('a mail of 100,000 encoded words', 'a.eml', () =>
    concat([
      `From: a@b.example\r\nSubject: ${'=?utf-8?B?8J+YgA==?= '.repeat(100_000)}\r\nMessage-ID: <d>\r\n\r\nx`,
    ]),
  ),
  charset('a mail of open encoded words', 'a.eml', () =>
    concat([`From: a@b.example\r\nSubject: ${'=?utf-8?Q?='.repeat(100_000)}\r\nMessage-ID: <d>\r\n\r\nx`]),
  ),
  charset('a mail of quoted-printable signs', 'a.eml', () =>
    mail('text/plain', `Content-Transfer-Encoding: quoted-printable\r\n\r\n${'=\r\n=3D=='.repeat(100_000)}`),
  ),
  charset('a mail of base64 without an end', 'a.eml', () =>
    mail('text/plain', `Content-Transfer-Encoding: base64\r\n\r\n${'A=\r\n'.repeat(200_000)}`),
  ),
  charset('a mail of 50,000 pieces of a parameter', 'a.eml', () => {
    const pieces = Array.from({ length: 50_000 }, (_, at) => `; name*${at}*=utf-8''%61`);
    return mail(`text/plain${pieces.join('\r\n ')}`, '\r\nx');
  }),
  charset(
    'rich text of code pages that change',
    'a.rtf',
    () => `{\\rtf1\\ansicpg932${"\\f1\\'81\\ansicpg1252\\u-3913?".repeat(40_000)}}`,
  ),
  charset('words that turn their direction', 'a.txt', () => '\u202eabc\u202d\u2066'.repeat(80_000)),
  charset('letters of no width', 'a.txt', () => 'a\u200b\u200d\ufeff'.repeat(100_000)),
  charset('letters with 1,000 marks each', 'a.txt', () => `a${'\u0301'.repeat(1_000)}`.repeat(500)),
  charset('characters that become longer', 'a.txt', () => bytesOfText('\ufdfa\u0390ßİ'.repeat(60_000))),
];
