import { QueryClient } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { send } from '../../console/src/api/client.ts';
import { deleteItem } from '../../console/src/api/deletions.ts';

const PATH = '/api/v1/retrievers/{retriever_id}';

let client: QueryClient;
let id: string;
/** Requests that the console has sent, as method and path. */
let sent: string[];
/** Answers the requests that wait for an answer. */
let answer: (status: number) => void;

beforeEach(() => {
  client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  id = crypto.randomUUID();
  sent = [];
  const { promise, resolve } = Promise.withResolvers<number>();
  answer = resolve;
  vi.stubGlobal('fetch', async (url: string, { method, signal }: RequestInit) => {
    sent.push(`${method} ${url}`);
    const aborted = new Promise<never>((_, reject) => {
      signal?.addEventListener('abort', () => reject(new DOMException('Aborted', 'AbortError')));
    });
    const status = await Promise.race([promise, aborted]);
    return Response.json({ id }, { status });
  });
});
afterEach(() => vi.unstubAllGlobals());

const request = (method: string) => ({ method, path: PATH, params: { retriever_id: id } });
const read = (more: string) =>
  client.fetchQuery({
    queryKey: [more, undefined, { params: { retriever_id: id } }],
    queryFn: ({ signal }) => send(request('GET'), signal),
  });
const remove = (leave: () => void) =>
  deleteItem(client, { id, remove: () => send(request('DELETE')), leave });
const settle = () => new Promise((resolve) => setTimeout(resolve));

it('sends no request for an item while it is being deleted and afterwards', async () => {
  const [own, other] = [`/api/v1/retrievers/${id}`, '/api/v1/retrievers/other'];
  const begun = read('before').catch((error: unknown) => error);
  await settle();
  expect(sent).toEqual([`GET ${own}`]);
  let hasLeft = false;
  const removed = remove(() => {
    hasLeft = true;
  });
  expect(await begun).toMatchObject({ message: 'CancelledError' });
  read('meanwhile').catch(() => {});
  const others = send({ method: 'GET', path: PATH, params: { retriever_id: 'other' } });
  await settle();
  expect(sent.toSorted()).toEqual([`DELETE ${own}`, `GET ${own}`, `GET ${other}`].toSorted());
  expect(hasLeft).toBe(false);
  answer(200);
  await Promise.all([removed, others]);
  expect(hasLeft).toBe(true);
  await expect(read('afterwards')).rejects.toMatchObject({ status: 404 });
  expect(sent).toHaveLength(3);
});

it('sends the requests that have waited if the deletion fails', async () => {
  const removed = remove(() => expect.unreachable());
  removed.catch(() => {});
  await settle();
  const waiting = read('meanwhile').catch((error: unknown) => error);
  await settle();
  expect(sent).toHaveLength(1);
  answer(503);
  await expect(removed).rejects.toMatchObject({ status: 503 });
  expect(await waiting).toMatchObject({ status: 503 });
  expect(sent).toEqual([`DELETE /api/v1/retrievers/${id}`, `GET /api/v1/retrievers/${id}`]);
});
