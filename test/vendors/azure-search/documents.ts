import type { Document, Field } from './odata.ts';
import { Refused } from './refused.ts';

const LONGEST_TERM = 32_766;

/** Throws if the vendor would reject the whole batch because of unknown fields or wrong types. */
export function checkFields(document: Document, fields: Field[]): void {
  for (const [name, value] of Object.entries(document)) {
    const field = fields.find((each) => each.name === name);
    if (!field) throw new Refused(`The property '${name}' does not exist on type 'search.documentFields'.`);
    if (!matchesType(value, field.type))
      throw new Refused(`Cannot convert a value of '${name}' to the type '${field.type}'.`);
  }
}

/** Returns the reason why one document fails. */
export function wrongValue(document: Document, fields: Field[]): string | undefined {
  for (const { name, filterable, dimensions } of fields) {
    const value = document[name];
    if (dimensions && Array.isArray(value) && value.length !== dimensions) {
      return `The vector field '${name}' has ${dimensions} dimensions, and ${value.length} were given.`;
    }
    const texts = [value ?? []].flat().filter((each) => typeof each === 'string');
    if (filterable && texts.some((text) => Buffer.byteLength(text) > LONGEST_TERM)) {
      return `Field '${name}' contains a term that is too large to process.`;
    }
  }
  return undefined;
}

function matchesType(value: unknown, type: string): boolean {
  const inner = /^Collection\((.+)\)$/.exec(type)?.[1];
  if (inner) return Array.isArray(value) && value.every((each) => each !== null && matchesType(each, inner));
  if (value === null) return true;
  switch (type) {
    case 'Edm.String':
      return typeof value === 'string';
    case 'Edm.Boolean':
      return typeof value === 'boolean';
    case 'Edm.Int32':
      return Number.isInteger(value) && Math.abs(value as number) <= 2 ** 31;
    case 'Edm.Int64':
      return Number.isSafeInteger(value);
    default:
      return typeof value === 'number';
  }
}
