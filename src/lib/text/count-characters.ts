/** Counts the characters of a well-formed text, in which two surrogates are one character. Creates no list of them. */
export function countCharacters(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length; at++) if (isHighSurrogate(text.charCodeAt(at))) count--;
  return count;
}

const isHighSurrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdbff;
