/** The platform's limit is 50 bytes. */
const LONGEST_PATTERN = 46;
/** What folding may make of fewer characters than it is, and what would end the pattern. */
const NOT_IN_PATTERNS = ['\0', '\u0307'];

let unfolded: Map<string, string> | undefined;

/** The characters of which folding makes a given one. */
function unfoldedOf(folded: string): string {
  if (unfolded === undefined) {
    unfolded = new Map([['ς', 'Σ']]);
    for (let code = 0x41; code < 0x1f000; code++) {
      const char = String.fromCodePoint(code);
      const lower = char.toLowerCase();
      if (lower !== char) for (const each of lower) unfolded.set(each, (unfolded.get(each) ?? '') + char);
    }
  }
  return unfolded.get(folded) ?? '';
}

/** A GLOB pattern that all values match whose folded form includes a folded text, and few others. */
export function caselessGlob(folded: string): string {
  let pattern = '';
  let bytes = 0;
  for (const char of folded) {
    const upper = unfoldedOf(char);
    const part = upper !== '' || '*?['.includes(char) ? `[${char}${upper}]` : char;
    bytes += new TextEncoder().encode(part).length;
    if (bytes > LONGEST_PATTERN || NOT_IN_PATTERNS.includes(char)) break;
    pattern += part;
  }
  return `*${pattern}*`;
}
