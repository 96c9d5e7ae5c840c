/** JSON in pieces, so that nobody holds the whole of a large answer. */

export type Pieces = AsyncIterable<string>;

/** An object: the members of `head`, then those whose values come in pieces. */
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

/** One text. A character that two pieces share is escaped in both, which reads as the character. */
export async function* textPieces(texts: Pieces): AsyncGenerator<string> {
  yield '"';
  for await (const text of texts) yield JSON.stringify(text).slice(1, -1);
  yield '"';
}

export async function* valuePieces(value: () => Promise<unknown>): AsyncGenerator<string> {
  yield JSON.stringify(await value());
}
