import { z } from 'zod';
import { nameOf, withoutNulls } from './masks.ts';
import { ensure, type Kind, type Move, made, type Reading, sifted } from './move.ts';
import type { SecretGroup } from './secrets.ts';

/** Something with credentials, which every server masks: a sink, a source, an embedding model. */
interface ComponentKind {
  kind: Kind;
  path: string;
  group: SecretGroup;
  /** What is read and sent besides `id` and `name`; two of one name differ by the first. */
  members: readonly [string, ...string[]];
  /** Said of each that is copied. */
  note?: string;
  /** The object with `type` and `component`. */
  holder: (item: Record<string, unknown>) => Record<string, unknown>;
  put: (item: Record<string, unknown>, component: unknown) => Record<string, unknown>;
}

const record = z.record(z.string(), z.unknown());

const flat = {
  holder: (item: Record<string, unknown>) => item,
  put: (item: Record<string, unknown>, component: unknown) => ({ ...item, component }),
};

export const DATA_SINKS: ComponentKind = {
  kind: 'data sink',
  path: '/api/v1/data-sinks',
  group: 'data_sinks',
  note: 'leads to the same collection of the same store as at the source',
  members: ['sink_type', 'component'],
  ...flat,
};

export const DATA_SOURCES: ComponentKind = {
  kind: 'data source',
  path: '/api/v1/data-sources',
  group: 'data_sources',
  members: ['source_type', 'component', 'custom_metadata'],
  ...flat,
};

export const EMBEDDING_MODELS: ComponentKind = {
  kind: 'embedding model configuration',
  path: '/api/v1/embedding-model-configs',
  group: 'embedding_model_configs',
  members: ['embedding_config'],
  holder: (item) => record.catch({}).parse(item.embedding_config),
  put: (item, component) => ({
    ...item,
    embedding_config: { ...record.catch({}).parse(item.embedding_config), component },
  }),
};

/** Members without which a component is nothing, by its type: asked for even when the source shows no mask. */
const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  ASTRA_DB: ['token'],
  AZUREAI_SEARCH: ['search_service_api_key'],
  COHERE_EMBEDDING: ['api_key'],
  MICROSOFT_ONEDRIVE: ['client_secret'],
  MICROSOFT_SHAREPOINT: ['client_secret'],
  MONGODB_ATLAS: ['mongodb_uri'],
  NOTION_PAGE: ['integration_token'],
  PINECONE: ['api_key'],
  POSTGRES: ['password'],
  QDRANT: ['api_key'],
  SLACK: ['slack_token'],
};

const listed = z.looseObject({ id: z.string().min(1), name: z.string() });
export type Component = z.output<typeof listed>;

export async function listComponents(move: Reading, { kind, path }: ComponentKind): Promise<Component[]> {
  const query = { project_id: move.fromProject };
  return sifted(move, kind, listed, await move.from.call(z.array(z.unknown()), 'GET', path, { query }));
}

/** Copies them one by one. Those whose secrets nobody gave are reported, and so is what depends on them, later. */
export async function copyComponents(move: Move, of: ComponentKind, items: readonly Component[]) {
  for (const item of items) {
    const body = await fillComponent(move, of, item);
    if (!body) continue;
    const query = { project_id: move.toProject };
    const [selector] = of.members;
    await ensure(move, of.kind, item, {
      found: async () => {
        const there = await move.to.call(z.array(listed), 'GET', of.path, { query });
        return there.filter(
          ({ name, ...rest }) => name === item.name && sameKind(rest[selector], item[selector]),
        );
      },
      make: async () => {
        const copy = await move.to.call(made, 'POST', of.path, { query, body, makes: true });
        if (of.note) move.report.note(of.kind, item.name, of.note);
        return copy;
      },
    });
  }
}

/** Of sinks and sources a word; of embedding models an object with a `type`. */
function sameKind(one: unknown, other: unknown): boolean {
  const word = (value: unknown) => (typeof value === 'string' ? value : record.catch({}).parse(value).type);
  return word(one) === word(other);
}

async function fillComponent(move: Move, of: ComponentKind, item: Component) {
  // Of what is there already nobody is asked for anything.
  if (move.state.get(of.kind, item.id) !== undefined) return {};
  const holder = of.holder(item);
  const { value, missing } = await move.secrets.fill(
    { group: of.group, name: item.name },
    withoutNulls(holder.component ?? {}),
    { required: REQUIRED[String(holder.sink_type ?? holder.source_type ?? holder.type)] ?? [] },
  );
  if (missing.length > 0) {
    move.report.fail(of.kind, item.name, `secrets are missing: ${missing.map(nameOf).join(', ')}`);
    return undefined;
  }
  const members = Object.entries(item).filter(([name, part]) => of.members.includes(name) && part !== null);
  return of.put({ name: item.name, ...Object.fromEntries(members) }, value);
}
