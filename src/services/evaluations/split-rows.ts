/** Maximum number of JSON characters per statement. D1 limits a parameter to 2 MB. */
const CHARACTERS_PER_STATEMENT = 400_000;

/** Splits rows into JSON arrays that are short enough for a parameter of a statement. */
export function splitRows(rows: readonly object[]): string[] {
  const parts: string[] = [];
  let part: string[] = [];
  let characters = 0;
  for (const row of rows) {
    const json = JSON.stringify(row);
    if (part.length > 0 && characters + json.length > CHARACTERS_PER_STATEMENT) {
      parts.push(`[${part.join(',')}]`);
      [part, characters] = [[], 0];
    }
    part.push(json);
    characters += json.length;
  }
  if (part.length > 0) parts.push(`[${part.join(',')}]`);
  return parts;
}
