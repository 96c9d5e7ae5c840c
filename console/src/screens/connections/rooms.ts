import type { Answer, Reading } from '../../api/types.ts';
import type { Schema } from '../../forms/schema.ts';
import type { Values } from '../../forms/schema-form.tsx';

type Capabilities = Answer<'GET /api/v1/capabilities'>;

/** One connection, of whichever sort. */
export interface Connection {
  id: string;
  name: string;
  type: string;
  component: Values;
  changed: string | null | undefined;
}

/** What differs between the three sorts of connections. */
export interface Room {
  key: 'sources' | 'sinks' | 'embeddings';
  title: string;
  /** "source" */
  noun: string;
  lead: string;
  list: Reading;
  path: string;
  /** Tries settings that are not saved. */
  tryPath: string;
  /** Where errors of the component stand in the body. */
  componentAt: string;
  rows: (answer: unknown) => Connection[];
  body: (name: string, type: string, component: Values) => Values;
  /** What `tryPath` takes. */
  tried: (name: string, type: string, component: Values) => Values;
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

export const ROOMS: readonly Room[] = [
  {
    key: 'sources',
    title: 'Data sources',
    noun: 'data source',
    lead: 'Where documents come from and are kept in step with.',
    list: 'GET /api/v1/data-sources',
    path: '/api/v1/data-sources',
    tryPath: '/api/v1/validate-integrations/validate-data-source-connection',
    componentAt: 'component',
    rows: (answer) =>
      (answer as Source[]).map(({ id, name, source_type: type, component, updated_at: changed }) => ({
        ...{ id, name, type, changed },
        component: component as Values,
      })),
    body: sourceBody,
    tried: sourceBody,
    kinds: ({ data_sources: kinds }) => kinds,
    component: (body) => body.properties?.component,
  },
  {
    key: 'sinks',
    title: 'Vector stores',
    noun: 'vector store',
    lead: 'Where vectors are kept, for who does not leave them with Sluice’s own index.',
    list: 'GET /api/v1/data-sinks',
    path: '/api/v1/data-sinks',
    tryPath: '/api/v1/validate-integrations/validate-data-sink-connection',
    componentAt: 'component',
    rows: (answer) =>
      (answer as Sink[]).map(({ id, name, sink_type: type, component, updated_at: changed }) => ({
        ...{ id, name, type, changed },
        component: component as Values,
      })),
    body: sinkBody,
    tried: sinkBody,
    kinds: ({ data_sinks: kinds }) => kinds,
    component: (body) => body.properties?.component,
  },
  {
    key: 'embeddings',
    title: 'Embedding models',
    noun: 'embedding model',
    lead: 'What turns texts into vectors, for indexes that name one.',
    list: 'GET /api/v1/embedding-model-configs',
    path: '/api/v1/embedding-model-configs',
    tryPath: '/api/v1/validate-integrations/validate-embedding-connection',
    componentAt: 'embedding_config.component',
    rows: (answer) =>
      (answer as Embedding[]).map(({ id, name, embedding_config: config, updated_at: changed }) => ({
        ...{ id, name, type: config.type ?? '', changed },
        component: (config.component ?? {}) as Values,
      })),
    body: (name, type, component) => ({ name, embedding_config: { type, component } }),
    tried: (_name, type, component) => ({ type, component }),
    kinds: ({ embedding_models: kinds }) => kinds,
    component: (body) => body.properties?.embedding_config?.properties?.component,
  },
];
