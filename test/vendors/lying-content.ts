import type { ContentLie } from './lies.ts';

/** Names of members that contain the position of the next page. */
const CURSORS = new Set([
  ...['next', 'next_cursor', 'next_marker', 'nextPageToken', 'next_page_token', '@odata.nextLink'],
  ...['next_page_offset', 'nextToken', 'nextPageState', 'paginationToken'],
]);
const XML_CURSORS = /(<(?:NextContinuationToken|NextMarker)>)([^<]+)(?=<)/g;
const XML_DATES = /(<(?:LastModified|Last-Modified|Creation-Time)>)[^<]+(?=<)/g;
const DATE = /^\d{4}-\d\d-\d\dT/;
const IDS = new Set(['id', 'ts']);

type Change = (key: string, value: unknown, parent: Record<string, unknown>) => unknown;

/** Returns a copy of JSON with each member changed. */
function changed(value: unknown, change: Change): unknown {
  if (Array.isArray(value)) return value.map((each) => changed(each, change));
  if (typeof value !== 'object' || value === null) return value;
  const parent = value as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(parent).map(([key, member]) => [key, change(key, changed(member, change), parent)]),
  );
}

const inJson = (text: string, change: Change): string => JSON.stringify(changed(JSON.parse(text), change));
const isXml = (text: string) => text.trimStart().startsWith('<');
const isCursor = (key: string, value: unknown): value is string =>
  CURSORS.has(key) && typeof value === 'string' && value !== '';

/** Returns whether an answer has a next page. */
export function hasCursor(text: string): boolean {
  if (isXml(text)) return text.search(XML_CURSORS) >= 0;
  let isFound = false;
  inJson(text, (key, value) => {
    isFound ||= isCursor(key, value);
    return value;
  });
  return isFound;
}

/** Appends a mark to each cursor of an answer. */
export function markCursors(text: string, mark: string): string {
  if (isXml(text)) return text.replaceAll(XML_CURSORS, `$1$2${mark}`);
  return inJson(text, (key, value) => {
    if (!isCursor(key, value)) return value;
    const inQuery = /([?&]cursor=[^&]*)/;
    return inQuery.test(value) ? value.replace(inQuery, `$1${mark}`) : value + mark;
  });
}

/** Removes cursors of an answer that has another member for further pages. */
function dropCursors(text: string): string {
  if (isXml(text)) return text.replaceAll(/<NextContinuationToken>[^<]*<\/NextContinuationToken>/g, '');
  if (!/"has_more":\s*true/.test(text)) return text;
  return inJson(text, (key, value) => (isCursor(key, value) ? null : value));
}

function changeIds(text: string): string {
  if (isXml(text)) return text;
  let count = 0;
  return inJson(text, (key, value) => (IDS.has(key) && typeof value === 'string' ? ++count : value));
}

/** Changes the id of the last item in each list with several items. */
function changeLastIds(text: string): string {
  if (isXml(text)) return text;
  return JSON.stringify(JSON.parse(text), (_, value) => {
    const last = Array.isArray(value) && value.length > 1 ? value.at(-1) : undefined;
    if (typeof last !== 'object' || last === null) return value;
    const ids = Object.keys(last).filter((key) => IDS.has(key));
    return [...value.slice(0, -1), { ...last, ...Object.fromEntries(ids.map((id) => [id, 1_234_567])) }];
  });
}

function changeDates(text: string, date: string): string {
  if (isXml(text)) return text.replaceAll(XML_DATES, `$1${date}`);
  return inJson(text, (_, value) => (typeof value === 'string' && DATE.test(value) ? date : value));
}

const INFINITE = '<infinite>';
const changeNumbers = (text: string, to: unknown): string =>
  isXml(text)
    ? text
    : JSON.stringify(JSON.parse(text), (_, value) => (typeof value === 'number' ? to : value));

/** Lies that only rewrite the honest answer. */
export const REWRITES: { [Name in ContentLie]?: (text: string) => string } = {
  'more pages than it gives a cursor for': dropCursors,
  'ids that are numbers': changeIds,
  'an id that is a number': changeLastIds,
  'dates in the year 0': (text) => changeDates(text, '0000-01-01T00:00:00.000Z'),
  'dates in the year 275760': (text) => changeDates(text, '+275760-09-13T00:00:00.001Z'),
  'null for every number': (text) => changeNumbers(text, null),
  'infinite numbers': (text) => changeNumbers(text, INFINITE).replaceAll(`"${INFINITE}"`, '1e999'),
  'dates that are words': (text) => changeDates(text, 'the day before yesterday'),
};
