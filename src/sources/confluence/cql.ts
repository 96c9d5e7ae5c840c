import { type ConfluenceSettings, listOf, wrong } from './settings.ts';

export interface Query {
  cql: string;
  /** Names of the settings fields to mention if Confluence rejects the query. */
  fields: string;
  /** Key of the space that the query is limited to, if any. */
  space?: string;
  /** Page ids that the query must find. Empty if other conditions narrow the query too. */
  ids: string[];
}

/** Maximum number of ids per query, which keeps the URL short enough. */
const MOST_IDS = 100;
const ORDER = /\border\s+by\b/iy;

/** Quotes a text as a CQL string literal. */
export const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`;

const oneOf = (field: string, literals: string[]) =>
  literals.length > 0 ? [`${field} in (${literals.join(', ')})`] : [];

/** Builds a query for content with these ids, regardless of the settings. Requires at least one id. */
export const idQuery = (ids: string[]): string => oneOf('id', ids).join();

/** Builds queries for all these ids, in batches. */
export const idQueries = (ids: string[]): string[] => batchesOf(ids).map(idQuery);

/**
 * Builds the queries that together select the configured content: one per space, or one per 100 page ids.
 * Each field narrows the others. Throws a SourceError that names the invalid setting.
 */
export function queriesOf({ cql, label, page_ids, space_key }: ConfluenceSettings): Query[] {
  const labels = listOf(label);
  const ids = listOf(page_ids);
  const spaces = listOf(space_key);
  const unfit = ids.find((id) => !/^\d{1,19}$/.test(id));
  if (unfit !== undefined) throw wrong('page_ids must be numbers, separated by commas.');
  const own = cql ? withoutOrder(cql).trim() : '';
  const shared = [
    'type in (page, blogpost)',
    ...(own ? [`(${own})`] : []),
    ...oneOf('label', labels.map(quoted)),
  ];
  const fields = [own && 'cql', labels.length > 0 && 'label', ids.length > 0 && 'page_ids']
    .filter(Boolean)
    .join(', ');
  const isNarrowed = own !== '' || labels.length > 0 || spaces.length > 0;
  const query = (space: string | undefined, batch: string[]): Query => ({
    cql: `${[...shared, ...oneOf('space', space ? [quoted(space)] : []), ...oneOf('id', batch)].join(' and ')} order by created`,
    fields: space ? [fields, 'space_key'].filter(Boolean).join(', ') : fields,
    ids: isNarrowed ? [] : batch,
    ...(space && { space }),
  });
  const batches = ids.length > 0 ? batchesOf(ids) : [[]];
  return (spaces.length > 0 ? spaces : [undefined]).flatMap((space) =>
    batches.map((batch) => query(space, batch)),
  );
}

/** Removes a trailing ORDER BY, which is not needed and is invalid inside a nested condition. */
export function withoutOrder(cql: string): string {
  let quote = '';
  for (let at = 0; at < cql.length; at++) {
    const character = cql[at]!;
    if (quote !== '') {
      if (character === '\\') at += 1;
      else if (character === quote) quote = '';
    } else if (character === '"' || character === "'") quote = character;
    else if (character === 'o' || character === 'O') {
      ORDER.lastIndex = at;
      if (ORDER.test(cql)) return cql.slice(0, at);
    }
  }
  return cql;
}

function batchesOf(ids: string[]): string[][] {
  const count = Math.ceil(ids.length / MOST_IDS);
  return Array.from({ length: count }, (_, at) => ids.slice(at * MOST_IDS, (at + 1) * MOST_IDS));
}
