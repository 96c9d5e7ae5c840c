/**
 * Maximum size in bytes of a search pattern without its asterisks. Cloudflare allows 50 bytes for the whole
 * pattern.
 */
const MAX_PATTERN_BYTES = 46;
/**
 * Characters that a search pattern cannot contain, so the pattern ends before them. SQLite ignores everything
 * after U+0000. The character İ is lower-cased to two characters, i and U+0307.
 */
const NOT_IN_PATTERNS = ['\0', '\u0307'];

let variantsByFolded: Map<string, string> | undefined;

/** Returns the characters that lower-casing maps to the given character. */
function getUpperCaseVariants(folded: string): string {
  if (variantsByFolded === undefined) {
    variantsByFolded = new Map([['ς', 'Σ']]);
    for (let code = 0x41; code < 0x1f000; code++) {
      const char = String.fromCodePoint(code);
      const lower = char.toLowerCase();
      if (lower !== char)
        for (const each of lower) variantsByFolded.set(each, (variantsByFolded.get(each) ?? '') + char);
    }
  }
  return variantsByFolded.get(folded) ?? '';
}

/**
 * Builds a GLOB pattern that matches all values whose lower-cased form contains the given text, and few
 * others.
 */
export function buildCaselessGlob(folded: string): string {
  let pattern = '';
  let bytes = 0;
  for (const char of folded) {
    const upper = getUpperCaseVariants(char);
    const part = upper !== '' || '*?['.includes(char) ? `[${char}${upper}]` : char;
    bytes += new TextEncoder().encode(part).length;
    if (bytes > MAX_PATTERN_BYTES || NOT_IN_PATTERNS.includes(char)) break;
    pattern += part;
  }
  return `*${pattern}*`;
}
