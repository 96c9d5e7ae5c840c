import { decodeUnicode } from '#src/text-formats/encoding.ts';

/** Matches encodings of a part's content that consist of ASCII letters only, so that a charset still applies. */
const ASCII_ENCODING = /^content-transfer-encoding:[ \t]*(?:base64|quoted-printable)/im;
const CHARSET = /charset[ \t]*=[ \t]*(?:"[^"\r\n]*"|[^\s;"]+)/gi;

/**
 * Returns an e-mail whose whole text was saved in UTF-16 or UTF-32 as UTF-8, because e-mail is read byte by byte.
 * Parts that are not encoded as ASCII are declared as UTF-8. Other e-mails are returned unchanged.
 */
export function narrowMail(bytes: Uint8Array): Uint8Array {
  const wide = decodeUnicode(bytes);
  if (!wide) return bytes;
  const lines = wide.text.replaceAll('\0', '').split(/(?<=\n)/);
  const output: string[] = [];
  let header: string[] | undefined = [];
  for (const line of lines) {
    if (header === undefined) {
      output.push(line);
      // A line with two hyphens may be a boundary. If it is not one, the lines after it have no charset.
      if (line.startsWith('--')) header = [];
    } else {
      header.push(line);
      if (line.trim() !== '') continue;
      output.push(declareUtf8(header.join('')));
      header = undefined;
    }
  }
  output.push(declareUtf8((header ?? []).join('')));
  return new TextEncoder().encode(output.join(''));
}

const declareUtf8 = (header: string): string =>
  ASCII_ENCODING.test(header) ? header : header.replace(CHARSET, 'charset=utf-8');
