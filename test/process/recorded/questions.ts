import type { Hit } from '../pipelines.ts';
import type { ServiceClient } from '../service.ts';
import type { Ids } from './contents.ts';

interface Question {
  method: 'GET' | 'POST';
  path: (ids: Ids) => string;
  body?: object;
  /** Selects the part of the answer to record. Defaults to the whole answer. */
  kept?: (answer: never) => unknown;
}

/** Returns the retrieved files in order. Scores and node ids may change with another index. */
const found = ({ retrieval_nodes }: { retrieval_nodes: Hit[] }) =>
  retrieval_nodes.map(({ node }) => [node.text, node.extra_info.file_name, node.extra_info.page_label]);
const foundByAll = ({ nodes }: { nodes: { node: { text: string } }[] }) => nodes.map(({ node }) => node.text);

const retrieve = (pipeline: 'manuals' | 'letters', query: string, more: object = {}): Question => ({
  method: 'POST',
  path: (ids) => `/api/v1/pipelines/${ids[pipeline]}/retrieve`,
  body: { query, ...more },
  kept: found,
});
const get = (path: (ids: Ids) => string): Question => ({ method: 'GET', path });

/** Read-only questions, which can be asked in any order and repeatedly. */
export const QUESTIONS: Record<string, Question> = {
  'by words and meaning': retrieve('manuals', 'How deep is the north quay?'),
  'by words alone': retrieve('letters', 'vermilion', { alpha: 0, enable_reranking: false }),
  'with a filter': retrieve('manuals', 'spring tides nest', {
    search_filters: { filters: [{ key: 'year', value: 1950, operator: '>' }] },
  }),
  'with a filter of files': retrieve('manuals', 'night berth fee', {
    search_filters: { filters: [{ key: 'shelf', value: 'office', operator: '==' }] },
  }),
  'over all pipelines': {
    method: 'POST',
    path: ({ retriever }) => `/api/v1/retrievers/${retriever}/retrieve`,
    body: { query: 'Where is the trench of the dredger?', mode: 'full' },
    kept: foundByAll,
  },
  pipeline: get(({ manuals }) => `/api/v1/pipelines/${manuals}`),
  files: get(({ manuals }) => `/api/v1/pipelines/${manuals}/files2`),
  documents: get(({ manuals }) => `/api/v1/pipelines/${manuals}/documents`),
  'chunks of a file': get(({ manuals, manual }) => `/api/v1/pipelines/${manuals}/files/${manual}/chunks`),
  file: get(({ tariff }) => `/api/v1/files/${tariff}`),
  'data source': get(({ source }) => `/api/v1/data-sources/${source}`),
  session: get(({ manuals, session }) => `/api/v1/pipelines/${manuals}/chat-sessions/${session}`),
  configuration: get(({ configuration }) => `/api/v1/beta/configurations/${configuration}`),
  'webhook endpoint': get(({ hook }) => `/api/v1/beta/webhook-configs/${hook}`),
  'result of an extract job': get(({ extract }) => `/api/v2/extract/${extract}`),
  'result of a parse job': get(
    ({ parse }) => `/api/v2/parse/${parse}?expand=markdown&expand=text&expand=items&expand=metadata`,
  ),
  'result of a classify job': get(({ classify }) => `/api/v2/classify/${classify}`),
};

/** Matches the URL of a service, whose port varies. */
const ORIGIN = /http:\/\/127\.0\.0\.1:(?!2197\d)\d+/g;

export async function askAll(service: ServiceClient, ids: Ids): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {};
  for (const [name, { method, path, body, kept }] of Object.entries(QUESTIONS)) {
    const answer = await service.call<unknown>(method, path(ids), body);
    const told = kept ? kept(answer as never) : answer;
    answers[name] = JSON.parse(JSON.stringify(told).replaceAll(ORIGIN, 'http://service'));
  }
  return answers;
}

/** Removes explanations for people from answers, because a release may word them differently. */
export function withoutReasons(answers: unknown): Record<string, unknown> {
  return JSON.parse(JSON.stringify(answers, (name, value) => (name === 'reason' ? undefined : value)));
}
