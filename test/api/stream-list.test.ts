import { expect, it } from 'vitest';
import { isPages, streamList } from '#src/api/http/stream-list.ts';
import { createLogger } from '#src/lib/log.ts';

const log = createLogger({});

async function* pages(...given: (number[] | Error)[]) {
  for (const page of given) {
    if (page instanceof Error) throw page;
    yield page;
  }
}

const readText = async (...given: (number[] | Error)[]) =>
  new Response(await streamList(pages(...given), log)).text();

it.each([
  [[], '[]'],
  [[[]], '[]'],
  [[[1, 2]], '[1,2]'],
  [[[1], [2, 3], []], '[1,2,3]'],
  [[[], [1], [], [2]], '[1,2]'],
])('sends the pages %j as %s', async (given, text) => {
  expect(await readText(...given)).toBe(text);
});

it('throws an error of the first page, and aborts at a later error', async () => {
  const failure = new Error('the line was cut');
  await expect(streamList(pages(failure), log)).rejects.toBe(failure);
  const begun = await streamList(pages([1], failure), log);
  await expect(new Response(begun).text()).rejects.toThrow('the line was cut');
});

it('reads no more pages once the reader cancels', async () => {
  let ended = false;
  async function* endless() {
    try {
      for (;;) yield [1];
    } finally {
      ended = true;
    }
  }
  const list = await streamList(endless(), log);
  await list.cancel();
  expect(ended).toBe(true);
});

it('distinguishes paged lists from other results', () => {
  expect(isPages(pages())).toBe(true);
  expect(isPages(Promise.resolve([]))).toBe(false);
});
