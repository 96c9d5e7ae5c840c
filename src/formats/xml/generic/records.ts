import { elements, type XmlElement } from '#src/text-formats/xml.ts';
import { hasText, localName, readLine } from '../tree/build.ts';

const MAX_COLUMNS = 40;

/** Returns the attributes of an element, without those that only declare namespaces and schemas. */
export const listAttributes = (element: XmlElement): [name: string, value: string][] =>
  Object.entries(element.attributes).filter(([name]) => !/^xmlns(?::|$)|^xsi:/.test(name));

/** Returns the fields of a record by name, or `undefined` if the element has nested content. */
function readFields(record: XmlElement): Map<string, string> | undefined {
  const fields = new Map(listAttributes(record));
  for (const field of elements(record)) {
    if (elements(field).length > 0 || listAttributes(field).length > 0 || fields.has(field.name))
      return undefined;
    fields.set(field.name, readLine(field));
  }
  return fields;
}

/**
 * Returns the children of an element as table rows if they have the same name and contain only plain fields.
 * Returns `undefined` for other elements.
 */
export function readRecords(parent: XmlElement): string[][] | undefined {
  const records = elements(parent);
  const name = records[0]?.name;
  if (records.length < 2 || hasText(parent)) return undefined;
  if (records.some((record) => record.name !== name || hasText(record))) return undefined;
  const header = new Set<string>();
  const rows: Map<string, string>[] = [];
  for (const record of records) {
    const fields = readFields(record);
    if (!fields) return undefined;
    rows.push(fields);
    for (const key of fields.keys()) header.add(key);
    if (header.size > MAX_COLUMNS) return undefined;
  }
  const keys = [...header];
  if (keys.length === 0) return undefined;
  return [keys.map(localName), ...rows.map((fields) => keys.map((key) => fields.get(key) ?? ''))];
}
