/** Matches a line of YAML front matter: a field, a comment or a continuation line. */
const YAML_LINE = /^(?:[\w."' -]{1,100}:(?:\s|$)|\s|-\s|#|\]|\}|$)/;
const FIELD = /^([\w-]{1,100}):\s*(\S.*)$/;
const MAX_FRONT_MATTER_LENGTH = 50_000;

/**
 * Returns the offset at which the text after the front matter begins, or 0 without front matter. Front matter
 * consists of `key: value` lines between two `---` lines at the start.
 */
export function findFrontMatterEnd(text: string): number {
  if (!text.startsWith('---\n')) return 0;
  let hasField = false;
  for (let from = 4; from < Math.min(text.length, MAX_FRONT_MATTER_LENGTH); ) {
    const newline = text.indexOf('\n', from);
    const end = newline < 0 ? text.length : newline;
    const line = text.slice(from, end);
    if (line === '---' || line === '...') return hasField ? Math.min(text.length, end + 1) : 0;
    if (!YAML_LINE.test(line)) return 0;
    hasField ||= /^[\w"']/.test(line);
    from = end + 1;
  }
  return 0;
}

/** Returns the fields of the front matter with lower-case names, and the text after the front matter. */
export function readFrontMatter(text: string): { fields: Record<string, string>; body: string } {
  const end = findFrontMatterEnd(text);
  const fields: Record<string, string> = {};
  for (const line of text.slice(0, end).split('\n')) {
    const field = FIELD.exec(line);
    if (field) fields[field[1]!.toLowerCase()] = field[2]!.trim().replace(/^(["'])(.*)\1$/, '$2');
  }
  return { fields, body: text.slice(end) };
}
