import { isRecord } from '#src/lib/schema/zod-walk.ts';
import type { Property } from './objects.ts';
import { plainOf } from './rich-text.ts';

type Value = string | number | boolean | string[];

const MOST_PROPERTIES = 100;
const LONGEST_VALUE = 2_000;
const MOST_OF_ONE = 100;
/** They head a page otherwise, change with each edit, or say nothing in words. */
const UNSHOWN = new Set([
  'title',
  'last_edited_time',
  'last_edited_by',
  'button',
  'relation',
  'verification',
]);

/** A line for each property that has a value. */
export function propertyLines(properties: [string, Property][]): string[] {
  return valuesOf(properties).map(([name, value]) => {
    const text = Array.isArray(value) ? value.join(', ') : String(value);
    return `- **${oneLine(name)}**: ${oneLine(text)}`;
  });
}

/** The same as metadata; names are those that people gave, whatever they are. */
export const flatProperties = (properties: [string, Property][]): Record<string, Value> =>
  Object.fromEntries(valuesOf(properties));

function valuesOf(properties: [string, Property][]): [string, Value][] {
  return properties
    .filter(([, { type }]) => !UNSHOWN.has(type))
    .flatMap(([name, property]): [string, Value][] => {
      const value = valueIn(property.type, property[property.type], 0);
      return value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
        ? []
        : [[name, value]];
    })
    .slice(0, MOST_PROPERTIES);
}

/** Undefined: it has none, or none in words. A list of the vendor's is a list of what is in it. */
function valueIn(type: string, value: unknown, depth: number): Value | undefined {
  if (type === 'rich_text' || type === 'title') return plainOf(value).slice(0, LONGEST_VALUE);
  if (typeof value === 'string') return value.slice(0, LONGEST_VALUE);
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  if (Array.isArray(value)) {
    return value
      .slice(0, MOST_OF_ONE)
      .map((each) => wordOf(each, depth))
      .filter((word) => word !== '');
  }
  if (!isRecord(value)) return undefined;
  if (type === 'unique_id') return [value.prefix, value.number].filter((part) => part != null).join('-');
  if (type === 'date') return [value.start, value.end].filter((part) => typeof part === 'string').join(' – ');
  if (typeof value.type === 'string' && depth < 3) return valueIn(value.type, value[value.type], depth + 1);
  return wordOf(value, depth);
}

/** A choice, a person or a file by its name; a value in a rollup by itself. */
function wordOf(value: unknown, depth: number): string {
  if (!isRecord(value)) return typeof value === 'string' ? value.slice(0, LONGEST_VALUE) : '';
  if (typeof value.name === 'string') return value.name.slice(0, LONGEST_VALUE);
  if (typeof value.type !== 'string' || depth >= 3) return '';
  const inner = valueIn(value.type, value[value.type], depth + 1);
  return Array.isArray(inner) ? inner.join(', ') : inner === undefined ? '' : String(inner);
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
