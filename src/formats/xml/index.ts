import { ParseError } from '#src/documents/errors.ts';
import { decodeText } from '#src/text-formats/encoding.ts';
import { elements, getTextContent, parseXml, type XmlElement } from '#src/text-formats/xml.ts';
import { xmlEncoding } from '../shared/containers/zip.ts';
import { finishDocument } from '../shared/flow/finish.ts';
import { Flow } from '../shared/flow/flow.ts';
import type { Parser } from '../shared/parser.ts';

const collapseWhiteSpace = (text: string) => text.replace(/\s+/g, ' ').trim();
const localName = (name: string) => name.slice(name.indexOf(':') + 1);

const listAttributes = (element: XmlElement) =>
  Object.entries(element.attributes).filter(([name]) => !/^xmlns(?::|$)|^xsi:/.test(name));

const hasText = (element: XmlElement) =>
  element.children.some((node) => typeof node === 'string' && node.trim() !== '');

/**
 * Returns sibling elements as table rows if they have the same name and contain only plain fields. Returns
 * `undefined` for other elements.
 */
function asRecords(parent: XmlElement): string[][] | undefined {
  const records = elements(parent);
  const name = records[0]?.name;
  if (records.length < 2 || records.some((record) => record.name !== name || hasText(record)))
    return undefined;
  const header = new Set<string>();
  const rows = records.map((record) => {
    const fields = new Map(listAttributes(record));
    for (const field of elements(record)) {
      if (elements(field).length > 0 || fields.has(field.name)) return undefined;
      fields.set(field.name, collapseWhiteSpace(getTextContent(field)));
    }
    for (const key of fields.keys()) header.add(key);
    return fields;
  });
  if (rows.includes(undefined) || header.size === 0 || header.size > 40) return undefined;
  const keys = [...header];
  return [keys.map(localName), ...rows.map((fields) => keys.map((key) => fields?.get(key) ?? ''))];
}

/**
 * Writes an XML element and its fields as nested list items. Mixed content of text and elements becomes one
 * text.
 */
function writeOutline(element: XmlElement, level: number, flow: Flow): void {
  const label = { text: localName(element.name), bold: true };
  const attributes = listAttributes(element).map(([name, value]) => `${localName(name)}=${value}`);
  const suffix = attributes.length > 0 ? ` (${attributes.join(', ')})` : '';
  const inner = elements(element);
  const prose = inner.length === 0 || hasText(element) ? collapseWhiteSpace(getTextContent(element)) : '';
  if (prose === '' && suffix === '' && inner.length === 0) return;
  const runs = [label, { text: suffix }, { text: prose === '' ? '' : `: ${prose}` }];
  flow.listItem({ level, ordered: false, runs });
  if (prose === '') for (const one of inner) writeOutline(one, level + 1, flow);
}

/**
 * Parses XML of any vocabulary. Repeated flat records become a table, and other content becomes an outline of
 * its fields.
 */
export const xmlParser: Parser = {
  async open({ bytes, plan, budget }) {
    const root = parseXml(decodeText(bytes, xmlEncoding(bytes)).text);
    if (!root) throw new ParseError('FILE_IS_BROKEN', 'The file contains no XML element.');
    const flow = new Flow(plan, budget);
    flow.heading(1, [{ text: localName(root.name) }]);
    const records = asRecords(root);
    if (records) flow.table(records.map((row) => row.map((cell) => ({ text: cell, markdown: cell }))));
    else if (elements(root).length === 0 || hasText(root))
      flow.paragraph([{ text: collapseWhiteSpace(getTextContent(root)) }]);
    else for (const element of elements(root)) writeOutline(element, 0, flow);
    return finishDocument(flow);
  },
};
