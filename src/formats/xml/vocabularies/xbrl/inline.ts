import { elements, type XmlElement, type XmlNode } from '#src/text-formats/xml.ts';
import { collapseWhiteSpace, make, makeTable } from '../../tree/build.ts';
import { readContexts, readUnits } from './contexts.ts';

const NAMESPACE = /^https?:\/\/www\.xbrl\.org\/\d{4}\/inlinexbrl$/i;
/** Facts with longer texts are only written where they stand in the document. */
const MAX_TEXT = 300;
/** Maximum length of these texts with their white space. */
const MAX_RAW_TEXT = 3_000;
const MAX_SCALE = 30;

/** Facts of a report in inline XBRL, a web page whose figures are marked as facts. */
export interface InlineReport {
  /** Returns whether an element contains the definitions of the report, which a browser does not show. */
  isHeader(element: XmlElement): boolean;
  /** Heading and table of all facts. Empty if the report has no facts. */
  nodes: XmlNode[];
}

/**
 * Returns the text of an element on one line. Returns `undefined` if the text is too long for a table, without
 * reading all of it, because facts may be inside each other.
 */
function readShortText(element: XmlElement): string | undefined {
  let text = '';
  const add = (node: XmlNode): boolean => {
    if (typeof node !== 'string') return node.children.every(add);
    text += node.slice(0, MAX_RAW_TEXT);
    return text.length < MAX_RAW_TEXT;
  };
  if (!add(element)) return undefined;
  const line = collapseWhiteSpace(text);
  return line.length <= MAX_TEXT ? line : undefined;
}

/** Returns the namespace prefix of inline XBRL in a web page, or `undefined` if the page does not use it. */
function findPrefix(root: XmlElement): string | undefined {
  for (const { attributes } of [root, ...elements(root)]) {
    const found = Object.entries(attributes).find(
      ([name, value]) => name.startsWith('xmlns:') && NAMESPACE.test(value),
    );
    if (found) return found[0].slice('xmlns:'.length).toLowerCase();
  }
  return undefined;
}

/**
 * Returns the value of a figure as it is meant: a printed "1,234" in thousands is 1234000. Figures in formats
 * other than with a decimal point stay as they are printed.
 */
function scaleNumber(printed: string, attributes: Record<string, string>): string {
  const plain = printed.replace(/[\s,]/g, '');
  const format = attributes.format ?? '';
  const scale = Math.trunc(Number(attributes.scale ?? 0)) || 0;
  const sign = attributes.sign === '-' ? '-' : '';
  const digits = /^(\d+)(?:\.(\d+))?$/.exec(plain);
  const hasPoint = format === '' || /num-?dot-?decimal/i.test(format);
  if (!digits || !hasPoint || scale < 0 || scale > MAX_SCALE) {
    return sign + printed + (scale === 0 ? '' : ` ×10^${scale}`);
  }
  const [, whole = '', fraction = ''] = digits;
  const moved = whole + fraction.slice(0, scale).padEnd(scale, '0');
  const rest = fraction.slice(scale);
  return sign + (moved.replace(/^0+(?=\d)/, '') + (rest === '' ? '' : `.${rest}`));
}

/** Reads the facts of a report in inline XBRL. Returns `undefined` for other web pages. */
export function readInlineReport(root: XmlElement): InlineReport | undefined {
  const prefix = findPrefix(root);
  if (prefix === undefined) return undefined;
  const contexts = readContexts(root);
  const units = readUnits(root);
  const rows: string[][] = [];
  const visit = (element: XmlElement) => {
    const isNumber = element.name === `${prefix}:nonfraction`;
    if (isNumber || element.name === `${prefix}:nonnumeric`) {
      const { name = '', contextref = '', unitref = '' } = element.attributes;
      const text = readShortText(element);
      const period = contexts.get(contextref)?.description ?? contextref;
      if (text !== undefined) {
        const value = isNumber ? scaleNumber(text, element.attributes) : text;
        rows.push([name, period, units.get(unitref) ?? unitref, value]);
      }
    }
    for (const inner of elements(element)) visit(inner);
  };
  visit(root);
  const table = makeTable([['Concept', 'Period', 'Unit', 'Value'], ...rows]);
  return {
    isHeader: ({ name }) => name === `${prefix}:header`,
    nodes: rows.length === 0 ? [] : [make('h2', ['XBRL facts']), table],
  };
}
