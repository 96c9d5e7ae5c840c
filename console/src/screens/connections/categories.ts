import type { Answer, ReadOperation } from '../../api/types.ts';
import type { Schema } from '../../forms/schema.ts';
import type { Values } from '../../forms/schema-form.tsx';
import { t } from '../../i18n/messages.ts';

type Capabilities = Answer<'GET /api/v1/capabilities'>;

/** Connection of any category: a data source, a vector store or an embedding model. */
export interface Connection {
  id: string;
  name: string;
  type: string;
  component: Values;
  changed: string | null | undefined;
}

/** Texts, API operations and functions that differ between the three categories of connections. */
export interface Category {
  key: 'sources' | 'sinks' | 'embeddings';
  title: string;
  newLabel: string;
  emptyTitle: string;
  /** Error message for a list that cannot be read. */
  failure: string;
  /** Description of the request that lists the connections. */
  listCall: string;
  lead: string;
  list: ReadOperation;
  path: string;
  /** API path of the operation that tests the settings of a connection before they are saved. */
  testPath: string;
  /**
   * Path of the connection's settings in the request body. It is used to show validation errors at the right
   * fields.
   */
  componentPath: string;
  rows: (answer: unknown) => Connection[];
  body: (name: string, type: string, component: Values) => Values;
  /** Builds the request body for the operation at `testPath`. */
  testBody: (name: string, type: string, component: Values) => Values;
  kinds: (known: Capabilities) => { type: string; title: string }[];
  component: (body: Schema) => Schema | undefined;
}

type Source = Answer<'GET /api/v1/data-sources'>[number];
type Sink = Answer<'GET /api/v1/data-sinks'>[number];
type Embedding = Answer<'GET /api/v1/embedding-model-configs'>[number];

const sourceBody = (name: string, type: string, component: Values) => ({
  name,
  source_type: type,
  component,
});
const sinkBody = (name: string, type: string, component: Values) => ({ name, sink_type: type, component });

export const getCategories = (): readonly Category[] => [
  {
    key: 'sources',
    title: t('Data sources'),
    newLabel: t('New data source'),
    emptyTitle: t('No data source yet'),
    failure: t('The data sources could not be read'),
    listCall: t('List the data sources'),
    lead: t('Systems that Sluice reads documents from and keeps in sync with.'),
    list: 'GET /api/v1/data-sources',
    path: '/api/v1/data-sources',
    testPath: '/api/v1/validate-integrations/validate-data-source-connection',
    componentPath: 'component',
    rows: (answer) =>
      (answer as Source[]).map(({ id, name, source_type: type, component, updated_at: changed }) => ({
        ...{ id, name, type, changed },
        component: component as Values,
      })),
    body: sourceBody,
    testBody: sourceBody,
    kinds: ({ data_sources: kinds }) => kinds,
    component: (body) => body.properties?.component,
  },
  {
    key: 'sinks',
    title: t('Vector stores'),
    newLabel: t('New vector store'),
    emptyTitle: t('No vector store yet'),
    failure: t('The vector stores could not be read'),
    listCall: t('List the vector stores'),
    lead: t('External vector databases, as an alternative to the built-in index.'),
    list: 'GET /api/v1/data-sinks',
    path: '/api/v1/data-sinks',
    testPath: '/api/v1/validate-integrations/validate-data-sink-connection',
    componentPath: 'component',
    rows: (answer) =>
      (answer as Sink[]).map(({ id, name, sink_type: type, component, updated_at: changed }) => ({
        ...{ id, name, type, changed },
        component: component as Values,
      })),
    body: sinkBody,
    testBody: sinkBody,
    kinds: ({ data_sinks: kinds }) => kinds,
    component: (body) => body.properties?.component,
  },
  {
    key: 'embeddings',
    title: t('Embedding models'),
    newLabel: t('New embedding model'),
    emptyTitle: t('No embedding model yet'),
    failure: t('The embedding models could not be read'),
    listCall: t('List the embedding models'),
    lead: t('Models that turn text into vectors, for indexes that select one.'),
    list: 'GET /api/v1/embedding-model-configs',
    path: '/api/v1/embedding-model-configs',
    testPath: '/api/v1/validate-integrations/validate-embedding-connection',
    componentPath: 'embedding_config.component',
    rows: (answer) =>
      (answer as Embedding[]).map(({ id, name, embedding_config: config, updated_at: changed }) => ({
        ...{ id, name, type: config.type ?? '', changed },
        component: (config.component ?? {}) as Values,
      })),
    body: (name, type, component) => ({ name, embedding_config: { type, component } }),
    testBody: (_name, type, component) => ({ type, component }),
    kinds: ({ embedding_models: kinds }) => kinds,
    component: (body) => body.properties?.embedding_config?.properties?.component,
  },
];
