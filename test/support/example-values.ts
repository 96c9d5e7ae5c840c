/** How recorded examples get stable values, and how a documented request is filled with the ids of a prepared service. */

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const KEY = /slc_[\w-]{8,}/g;
/** Token of an invitation: 32 bytes in base64url. */
const TOKEN = /(?<![\w.-])[\w-]{43}(?![\w.-])/g;
const EXAMPLE_TOKEN = 'ExampleTokenExampleTokenExampleTokenExample';
const MOMENT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
const FIRST_MOMENT = Date.parse('2026-03-14T09:00:00.000Z');
const EXAMPLE_KEY = 'slc_00000000000000000000';
const MOST_ITEMS = 2;
const MOST_VALUES = 12;
const MOST_LINES = 16;

/** Names that the tests make unique, such as `pipeline <uuid>`, and copies of them. */
const UNIQUE_NAME = /^([a-z]+) [0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?= \(|$)/;

/** A uuid that always is the same for the same text. */
function stableUuid(text: string): string {
  let state = 0x811c9dc5;
  const digits = Array.from({ length: 32 }, (_, at) => {
    for (const each of `${text}${at}`) state = Math.imul(state ^ each.charCodeAt(0), 0x01000193) >>> 0;
    return ((state >>> 13) & 15).toString(16);
  }).join('');
  const variant = '89ab'[Number.parseInt(digits[16]!, 16) & 3];
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-${variant}${digits.slice(17, 20)}-${digits.slice(20)}`;
}

/** Replaces ids, keys, times and addresses of the tests, and shortens long lists. Equal values stay equal. */
export function stabilize(value: unknown, base: string): unknown {
  const ids = new Map<string, string>();
  const moments = new Map<string, string>();
  const walk = (node: unknown, name: string): unknown => {
    if (typeof node === 'string') return text(node, name);
    if (Array.isArray(node)) return shorten(node).map((item) => walk(item, name));
    if (typeof node !== 'object' || node === null) return node;
    return Object.fromEntries(
      Object.entries(node).map(([key, member]) => [text(key, name), walk(member, key)]),
    );
  };
  const text = (given: string, name: string): string =>
    firstLines(given)
      .replace(UNIQUE_NAME, 'Example $1')
      .replaceAll(KEY, EXAMPLE_KEY)
      .replaceAll(base, 'https://sluice.example')
      .replaceAll(TOKEN, EXAMPLE_TOKEN)
      .replaceAll(/(signature|token)=[\w%.-]+/g, '$1=example')
      .replaceAll(UUID, (id) => known(ids, id, () => stableUuid(`${name} ${ids.size}`)))
      .replaceAll(MOMENT, (moment) =>
        known(moments, moment, () => new Date(FIRST_MOMENT + 1000 * moments.size).toISOString()),
      );
  return walk(value, '');
}

function known(values: Map<string, string>, value: string, make: () => string): string {
  if (!values.has(value)) values.set(value, make());
  return values.get(value)!;
}

function shorten(list: unknown[]): unknown[] {
  if (list.some((item) => typeof item === 'object')) return list.slice(0, MOST_ITEMS);
  return list.length > MOST_VALUES ? list.slice(0, 4) : list;
}

function firstLines(text: string): string {
  const lines = text.split('\n');
  return lines.length > 4 * MOST_LINES ? `${lines.slice(0, MOST_LINES).join('\n')}\n` : text;
}

/**
 * Returns the documented value with the ids and keys of the prepared one. Everything else is as it is documented,
 * free names included.
 */
export function fillIn(documented: unknown, prepared: unknown): unknown {
  if (Array.isArray(documented)) {
    const items = Array.isArray(prepared) ? prepared : [];
    return documented.map((item, at) => fillIn(item, items[at]));
  }
  if (typeof documented === 'object' && documented !== null) {
    const members = (typeof prepared === 'object' && prepared !== null ? prepared : {}) as object;
    return Object.fromEntries(
      Object.entries(documented).map(([name, member]) => [
        name,
        fillIn(member, (members as Record<string, unknown>)[name]),
      ]),
    );
  }
  return typeof prepared === 'string' && isOfTest(prepared) ? prepared : documented;
}

const isOfTest = (text: string) =>
  !UNIQUE_NAME.test(text) && [UUID, KEY, TOKEN].some((pattern) => text.search(pattern) >= 0);

/**
 * Lists where an answer has another shape than its example: other members, or other types. Null agrees with every
 * type, and an empty list with every list, because the state of a job or the size of a list differs between calls.
 */
export function shapeDifferences(example: unknown, answer: unknown, place = 'answer'): string[] {
  if (example === null || answer === null) return [];
  if (Array.isArray(example) && Array.isArray(answer)) {
    if (answer.length === 0) return [];
    return example.flatMap((item, at) => {
      const found = answer.map((each) => shapeDifferences(item, each, `${place}[${at}]`));
      return found.some((differences) => differences.length === 0) ? [] : found[0]!;
    });
  }
  const [one, other] = [getKind(example), getKind(answer)];
  if (one !== other) return [`${place} is ${one} in the example and ${other} in the answer`];
  if (one !== 'object') return [];
  const [shown, given] = [withoutIds(example as object), withoutIds(answer as object)];
  const names = new Set([...Object.keys(shown), ...Object.keys(given)]);
  return [...names].flatMap((name) => {
    if (!Object.hasOwn(given, name)) return [`${place}.${name} is only in the example`];
    if (!Object.hasOwn(shown, name)) return [`${place}.${name} is only in the answer`];
    return shapeDifferences(shown[name], given[name], `${place}.${name}`);
  });
}

/** Members that are named after ids, which differ, have one name. */
const withoutIds = (value: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).map(([name, member]) => [name.replace(UUID, '<id>'), member]));

const getKind = (value: unknown) => (Array.isArray(value) ? 'list' : typeof value);
