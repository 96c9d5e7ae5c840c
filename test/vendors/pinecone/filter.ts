// Evaluates the metadata filter language of Pinecone. Unknown operators are rejected.

export type Metadata = Record<string, unknown>;
type Test = (metadata: Metadata) => boolean;

export class WrongFilter extends Error {}

const MOST_ALTERNATIVES = 10_000;

/** Compiles a filter. Throws WrongFilter. */
export function compileFilterTest(filter: unknown, isIndexed: (field: string) => boolean): Test {
  if (!isObject(filter) || Object.keys(filter).length === 0) throw new WrongFilter('a filter is an object');
  const tests = Object.entries(filter).map(([name, value]): Test => {
    if (name === '$and' || name === '$or') {
      if (!Array.isArray(value) || value.length === 0) throw new WrongFilter(`${name} needs filters`);
      const parts = value.map((part) => compileFilterTest(part, isIndexed));
      return (metadata) =>
        name === '$and' ? parts.every((p) => p(metadata)) : parts.some((p) => p(metadata));
    }
    if (name.startsWith('$')) throw new WrongFilter(`${name} is no field`);
    return fieldTest(name, value, isIndexed);
  });
  return (metadata) => tests.every((test) => test(metadata));
}

function fieldTest(field: string, conditions: unknown, isIndexed: (field: string) => boolean): Test {
  if (!isObject(conditions) || Object.keys(conditions).length === 0) {
    throw new WrongFilter(`${field} needs an operator`);
  }
  const tests = Object.entries(conditions).map(([operator, value]) => operation(operator, value));
  // Fields without index never match.
  return (metadata) => {
    const held = isIndexed(field) ? [Object.hasOwn(metadata, field) ? metadata[field] : []].flat() : [];
    return tests.every((test) => held.some(test));
  };
}

function operation(operator: string, value: unknown): (held: unknown) => boolean {
  switch (operator) {
    case '$eq':
      if (!['string', 'number', 'boolean'].includes(typeof value)) break;
      return (held) => held === value;
    case '$gte':
    case '$lte':
      if (typeof value !== 'number') break;
      return (held) => typeof held === 'number' && (operator === '$gte' ? held >= value : held <= value);
    case '$in': {
      if (!Array.isArray(value) || value.length === 0 || value.length > MOST_ALTERNATIVES) break;
      const types = new Set(value.map((each) => typeof each));
      if (types.size > 1 || !(types.has('string') || types.has('number'))) break;
      const alternatives = new Set<unknown>(value);
      return (held) => alternatives.has(held);
    }
  }
  throw new WrongFilter(`${operator} does not take ${JSON.stringify(value)?.slice(0, 80)}`);
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
