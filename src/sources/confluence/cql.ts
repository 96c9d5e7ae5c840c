import { type ConfluenceSettings, listOf, wrong } from './settings.ts';

/** One list of content. */
export interface Query {
  cql: string;
  /** The field of the settings that an answer about a wrong query is about. */
  fields: string;
  /** The space that it is of, where it is of one. */
  space?: string;
  /** What is expected to be found; empty where other conditions narrow the list as well. */
  ids: string[];
}

/** Ids of one query: what its address may be long. */
const MOST_IDS = 100;
const ORDER = /\border\s+by\b/iy;

/** A text as a literal of the query language. */
export const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`;

const oneOf = (field: string, literals: string[]) =>
  literals.length > 0 ? [`${field} in (${literals.join(', ')})`] : [];

/** Content of these ids, of which there is one at least, whatever else the settings want. */
export const idQuery = (ids: string[]): string => oneOf('id', ids).join();

/** As many queries as all these ids take. */
export const idQueries = (ids: string[]): string[] => batchesOf(ids).map(idQuery);

/**
 * The lists that the settings want, which together are all of it: one for each space, or for each hundred pages by id.
 * Each field narrows the others. Throws a SourceError that names what no query can be made of.
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

/** A query without its order, which nothing here depends on and which cannot stand within another. */
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
