import { z } from 'zod';
import {
  createdItem,
  findOrCreate,
  type ImportContext,
  type Kind,
  parseItems,
  type SourceContext,
} from './context.ts';
import { formatPath, removeNulls } from './masks.ts';
import type { SecretGroup } from './secrets.ts';

/**
 * One kind of object with credentials: data sink, data source or embedding model. Servers mask the
 * credentials in their responses.
 */
interface ComponentKind {
  kind: Kind;
  path: string;
  group: SecretGroup;
  /**
   * Fields that are copied besides `id` and `name`. The first field distinguishes objects of the same name.
   */
  members: readonly [string, ...string[]];
  /** Note about each copied object of this kind, which is added to the report. */
  note?: string;
  /** Returns the part of the object that has the fields `type` and `component`. */
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
  note: 'uses the same collection of the vector store as the original',
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

/**
 * Secret fields that each type requires. The operator is asked for them even if the source returns no mask
 * for them.
 */
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

export async function listComponents(
  context: SourceContext,
  { kind, path }: ComponentKind,
): Promise<Component[]> {
  const query = { project_id: context.fromProject };
  return parseItems(
    context,
    kind,
    listed,
    await context.from.call(z.array(z.unknown()), 'GET', path, { query }),
  );
}

/**
 * Copies objects one by one. Objects whose secrets are missing are reported, and so are the objects that
 * depend on them.
 */
export async function copyComponents(context: ImportContext, of: ComponentKind, items: readonly Component[]) {
  for (const item of items) {
    const body = await fillComponent(context, of, item);
    if (!body) continue;
    const query = { project_id: context.toProject };
    const [selector] = of.members;
    await findOrCreate(context, of.kind, item, {
      found: async () => {
        const existing = await context.to.call(z.array(listed), 'GET', of.path, { query });
        return existing.filter(
          ({ name, ...rest }) => name === item.name && sameKind(rest[selector], item[selector]),
        );
      },
      make: async () => {
        const copy = await context.to.call(createdItem, 'POST', of.path, { query, body, isCreating: true });
        if (of.note) context.report.note(of.kind, item.name, of.note);
        return copy;
      },
    });
  }
}

/**
 * Returns whether two objects have the same type. The type of a data sink or source is a name. The type of an
 * embedding model is an object with a `type`.
 */
function sameKind(one: unknown, other: unknown): boolean {
  const word = (value: unknown) => (typeof value === 'string' ? value : record.catch({}).parse(value).type);
  return word(one) === word(other);
}

async function fillComponent(context: ImportContext, of: ComponentKind, item: Component) {
  // An object that an earlier run copied needs no secrets.
  if (context.state.get(of.kind, item.id) !== undefined) return {};
  const holder = of.holder(item);
  const { value, missing } = await context.secrets.fill(
    { group: of.group, name: item.name },
    removeNulls(holder.component ?? {}),
    { required: REQUIRED[String(holder.sink_type ?? holder.source_type ?? holder.type)] ?? [] },
  );
  if (missing.length > 0) {
    context.report.fail(of.kind, item.name, `secrets are missing: ${missing.map(formatPath).join(', ')}`);
    return undefined;
  }
  const members = Object.entries(item).filter(([name, part]) => of.members.includes(name) && part !== null);
  return of.put({ name: item.name, ...Object.fromEntries(members) }, value);
}
