import type { Inputs } from '#test/suites/operation-inputs.ts';

type Members = Record<string, unknown>;

/**
 * Returns the inputs with an id in one field, such as `query.file_ids` or `body.pipelines[].pipeline_id`.
 * `instead` lists properties of the body that exclude the field and are removed. `beside` lists properties
 * that the field requires.
 */
export function placeId(
  inputs: Inputs,
  place: string,
  id: string,
  { instead = [], beside = {} }: { instead?: readonly string[]; beside?: object } = {},
): Inputs {
  const [part, ...keys] = place.replaceAll('[]', '.0').split('.') as [string, ...string[]];
  const [first = ''] = keys;
  if (part === 'path') return { ...inputs, params: { ...inputs.params, [first]: id } };
  if (part === 'query') return { ...inputs, query: { ...inputs.query, [first]: id } };
  if (part === 'form') return { ...inputs, form: { ...inputs.form, [first]: id } };
  const body = isObject(inputs.body)
    ? { ...withoutMembers(inputs.body, instead), ...beside }
    : (inputs.body ?? beside);
  const value = /_ids$|^ids$/.test(keys.at(-1)!) ? [id] : id;
  return { ...inputs, body: placeValue(body, keys, value) };
}

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const withoutMembers = (body: Members, names: readonly string[]): Members =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));

function placeValue(root: unknown, [key, ...rest]: string[], value: unknown): unknown {
  if (key === undefined) return value;
  if (key === '0') {
    const [item, ...others] = Array.isArray(root) ? root : [];
    return [placeValue(item, rest, value), ...others];
  }
  const members = isObject(root) ? root : {};
  return { ...members, [key]: placeValue(members[key], rest, value) };
}
