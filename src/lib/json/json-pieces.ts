/** JSON text that is produced in pieces, so that a large response is never in memory as a whole. */

export type Pieces = AsyncIterable<string>;

/**
 * Yields a JSON object in pieces: the fields of `head`, followed by fields whose values are produced in
 * pieces.
 */
export async function* objectPieces(
  head: object,
  members: Iterable<readonly [name: string, value: Pieces]>,
): AsyncGenerator<string> {
  const start = JSON.stringify(head).slice(0, -1);
  yield start;
  let before = start === '{' ? '' : ',';
  for (const [name, value] of members) {
    yield `${before}${JSON.stringify(name)}:`;
    yield* value;
    before = ',';
  }
  yield '}';
}

export async function* arrayPieces(values: AsyncIterable<unknown>): AsyncGenerator<string> {
  let before = '[';
  for await (const value of values) {
    yield before + JSON.stringify(value);
    before = ',';
  }
  yield before === '[' ? '[]' : ']';
}

/**
 * Yields one JSON string in pieces. A surrogate pair that is divided between two pieces is written as two
 * escapes, which decode to the same character.
 */
export async function* textPieces(texts: Pieces): AsyncGenerator<string> {
  yield '"';
  for await (const text of texts) yield JSON.stringify(text).slice(1, -1);
  yield '"';
}

export async function* valuePieces(value: () => Promise<unknown>): AsyncGenerator<string> {
  yield JSON.stringify(await value());
}
