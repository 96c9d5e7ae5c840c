/**
 * PostgreSQL stores neither NUL nor unpaired surrogates. They are written as sequences of characters for
 * private use, so that no two texts become equal. All other texts stay unchanged. A sequence begins with
 * `MARK` and has one character for each of four hexadecimal digits.
 */
const MARK = 0xe00f;
const FIRST_DIGIT = 0xe010;
const ESCAPED = /[\0\ue00f-\ue01f\p{Cs}]/gu;
const SEQUENCE = /\ue00f([\ue010-\ue01f]{4})/g;

export function encodeText(text: string): string {
  return text.replace(ESCAPED, (letter) => {
    const code = letter.charCodeAt(0);
    const digits = [12, 8, 4, 0].map((shift) => FIRST_DIGIT + ((code >> shift) & 15));
    return String.fromCharCode(MARK, ...digits);
  });
}

export function decodeText(stored: string): string {
  return stored.replace(SEQUENCE, (_, digits: string) => {
    const values = [...digits].map((digit) => digit.charCodeAt(0) - FIRST_DIGIT);
    return String.fromCharCode(values.reduce((code, value) => code * 16 + value, 0));
  });
}
