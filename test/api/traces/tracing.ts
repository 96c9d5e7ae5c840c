import { clientOf } from '#test/support/configured.ts';
import { PATIENCE_MS } from '#test/support/patience.ts';
import { createTenant, type Tenant } from '#test/support/tenants.ts';

export interface Trace {
  id: string;
  kind: string;
  pipeline_id: string | null;
  retriever_id: string | null;
  session_id: string | null;
  user_id: string | null;
  question: string | null;
  refused: boolean;
  error_code: string | null;
  duration_ms: number | null;
  feedback: { rating: string; comment: string | null } | null;
  details: {
    has_text: boolean;
    is_redacted: boolean;
    is_withheld: boolean;
    question_characters: number;
    filters: object | null;
    candidates: Candidate[];
    notes: Record<string, string>;
    latency: Record<string, number>;
    answer: Answer | null;
    error: { code: string; message: string | null } | null;
  } | null;
}

export interface Candidate {
  chunk_id: string;
  document_id: string;
  rank_before: number;
  rank_after: number | null;
  fused: number;
  dense: number | null;
  sparse: number | null;
  rerank: number | null;
  text: string | null;
  is_available: boolean | null;
  is_redacted: boolean;
}

interface Answer {
  status: string;
  model: string;
  text: string | null;
  characters: number;
  messages: { role: string; text: string | null; characters: number }[];
  citations: { citation: number; chunk_id: string }[];
  removed_citations: { reason: string; statement: string | null }[];
}

export type Client = ReturnType<typeof clientOf>;

/** Documents about birds of a town. */
const DOCUMENTS = [
  { id: 'gulls', text: 'Gulls nest on the roofs of the town hall.', metadata: { shelf: 'open' } },
  { id: 'owls', text: 'Owls nest in the tower of the church.', metadata: { shelf: 'open' } },
  { id: 'swifts', text: 'Swifts nest under the bridge.', metadata: { shelf: 'secret' } },
];
export const QUESTION = 'Where do gulls nest?';

/** Returns a tenant with an indexed pipeline, whose retrievals and answers are traced as the settings say. */
export async function traced(settings: object, documents: object[] = DOCUMENTS) {
  const tenant = await createTenant();
  const client = clientOf(tenant.key, {});
  await put(client, '/api/v1/traces/settings', settings);
  const pipeline = await createIndexed(client, documents);
  return { tenant, client, pipeline };
}

export async function createIndexed(client: Client, documents: object[] = DOCUMENTS): Promise<string> {
  const created = await client<{ id: string }>('POST', '/api/v1/pipelines', { name: crypto.randomUUID() });
  const path = `/api/v1/pipelines/${created.body.id}`;
  const answer = await client('POST', `${path}/documents`, documents);
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  await until('the documents are indexed', async () => {
    const { body } = await client<{ status: string }>('GET', `${path}/status`);
    return body.status === 'SUCCESS' ? true : undefined;
  });
  return created.body.id;
}

export async function put(client: Client, path: string, body: object): Promise<void> {
  const answer = await client('PUT', path, body);
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
}

export async function retrieve(client: Client, pipeline: string, body: object = {}) {
  const answer = await client<{
    metadata: { trace_id?: string };
    retrieval_nodes: { node: { id_: string } }[];
  }>('POST', `/api/v1/pipelines/${pipeline}/retrieve`, { query: QUESTION, ...body });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return answer.body;
}

/** Chats and returns the metadata at the start of the answer, and its text. */
export async function chat(client: Client, pipeline: string, content = QUESTION, more: object = {}) {
  const body = { messages: [{ role: 'user', content }], ...more };
  const answer = await client<string>('POST', `/api/v1/pipelines/${pipeline}/chat`, body);
  const events = String(answer.body)
    .split('\n\n')
    .filter((event) => event.startsWith('data: {'))
    .map((event) => JSON.parse(event.slice('data: '.length)));
  return {
    messageId: events[0].messageId as string,
    metadata: events[0].messageMetadata as { trace_id?: string; session_id?: string },
    text: events.map(({ type, delta }) => (type === 'text-delta' ? delta : '')).join(''),
  };
}

export const readTrace = async (client: Client, id: string | undefined) =>
  (await client<Trace>('GET', `/api/v1/traces/${id}`)).body;

export const listTraces = async (client: Client, query = '') =>
  (await client<{ items: Trace[] }>('GET', `/api/v1/traces${query}`)).body.items;

export async function until<Result>(
  condition: string,
  read: () => Promise<Result | undefined>,
): Promise<Result> {
  for (let waited = 0; waited < PATIENCE_MS; waited += 50) {
    const result = await read();
    if (result !== undefined) return result;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`timed out while waiting until ${condition}`);
}

export type { Tenant };
