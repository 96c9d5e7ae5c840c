import { elements, type XmlElement, type XmlNode } from '#src/text-formats/xml.ts';
import { childrenNamed, findChild, hasText, localName, make, readLine, readStart } from '../../tree/build.ts';
import type { Rewriter, RuleFunction, Rules } from '../../tree/rewriter.ts';
import { displayFormula, SHARED_RULES, writeItems, writeLink, writeTable } from '../../tree/shared-rules.ts';

const section: RuleFunction = (element, rewriter) => {
  const head = findChild(element, 'head');
  const number = head?.attributes.n;
  if (head && number && !readStart(head, 100).startsWith(number)) head.children.unshift(`${number} `);
  return rewriter.section(element, [head]);
};

/** Names of HTML elements for the renderings that `rend` and `rendition` describe. */
function findStyle(element: XmlElement): string {
  const { rend = '', rendition = '', style = '' } = element.attributes;
  const description = `${rend} ${rendition} ${style}`.toLowerCase();
  if (/\b(?:sup|superscript|super)\b/.test(description)) return 'sup';
  if (/\b(?:sub|subscript)\b/.test(description)) return 'sub';
  if (/\b(?:bold|b|strong)\b/.test(description)) return 'b';
  if (/\b(?:italics?|i|ital|em|emph)\b/.test(description)) return 'i';
  if (/\b(?:strike|strikethrough|line-through)\b/.test(description)) return 's';
  return /\b(?:code|tt|monospace)\b/.test(description) ? 'code' : '';
}

const highlighted: RuleFunction = (element, rewriter) => {
  const standard = localName(element.name) === 'emph' ? 'i' : 'span';
  return [make(findStyle(element) || standard, rewriter.inline(element))];
};

const list: RuleFunction = (element, rewriter) => {
  const { type = '', rend = '' } = element.attributes;
  const isOrdered = /ordered|numbered/.test(`${type} ${rend}`) && !type.includes('unordered');
  const head = findChild(element, 'head');
  let label: XmlNode[] = [];
  const items = element.children.flatMap((part): XmlNode[] => {
    if (part === head || (typeof part === 'string' && part.trim() === '')) return [];
    if (typeof part !== 'string' && localName(part.name) === 'label') {
      label = [...label, ...rewriter.inline(part), ' '];
      return [];
    }
    const item = make('li', [...label, ...(typeof part === 'string' ? [part] : rewriter.inline(part))]);
    label = [];
    return [item];
  });
  if (label.length > 0) items.push(make('li', label));
  return [
    ...(head ? [make('p', [make('b', rewriter.inline(head))])] : []),
    make(isOrdered ? 'ol' : 'ul', items),
  ];
};

const table: RuleFunction = (element, rewriter) => {
  if (childrenNamed(element, 'row').length === 0) {
    return writeTable(element, rewriter);
  }
  const head = findChild(element, 'head');
  const rows = childrenNamed(element, 'row').map((row) =>
    make(
      'tr',
      childrenNamed(row, 'cell').map((cell) => {
        const { cols = '1', rows: height = '1' } = cell.attributes;
        return make('td', rewriter.inline(cell), { colspan: cols, rowspan: height });
      }),
    ),
  );
  return [...(head ? [make('p', rewriter.inline(head))] : []), make('table', rows)];
};

/** Writes a figure or a table in a figure: heading, description and content. */
const figure: RuleFunction = (element, rewriter) => {
  const head = findChild(element, 'head');
  const label = findChild(element, 'label');
  const description = findChild(element, 'figDesc');
  const title = readStart(head, 300);
  // GROBID writes the number of a figure both into its heading and into a label.
  const isRepeated = label !== undefined && title.includes(readStart(label, 300));
  const line = [head, isRepeated ? undefined : label].filter((part) => part !== undefined);
  const written = new Set<XmlNode>([head, label, description].filter((part) => part !== undefined));
  return [
    make('div', [
      ...line.map((part) => make('p', [make('b', rewriter.inline(part))])),
      ...(description ? [make('p', rewriter.inline(description))] : []),
      ...rewriter.children(element, false, written),
    ]),
  ];
};

/** Writes a note inside a text as a mark. The note itself follows the text. */
const note: RuleFunction = (element, rewriter) => {
  const { place = '', n = '' } = element.attributes;
  if (!/foot|end|bottom/.test(place)) return [make('div', rewriter.inline(element))];
  const mark = `[^${rewriter.notes.length + 1}]`;
  const content: XmlNode[] = [];
  rewriter.notes.push(content);
  const nodes = rewriter.inline(element);
  // A printed number at the start of the note is replaced by the mark.
  if (n !== '' && typeof nodes[0] === 'string') nodes[0] = nodes[0].replace(/^\s*\d+[.)]?\s+/, '');
  content.push(make('div', [`${mark}: `, ...nodes.map(flattenParagraph)]));
  return [mark];
};

const flattenParagraph = (node: XmlNode): XmlNode =>
  typeof node !== 'string' && (node.name === 'p' || node.name === 'div') ? { ...node, name: 'span' } : node;

/** Elements whose children are readings of the same text, in order of preference. */
const READINGS = ['corr', 'reg', 'abbr', 'lem', 'unclear', 'sic', 'orig', 'expan'];

const choice: RuleFunction = (element, rewriter) => {
  const readings = elements(element);
  const chosen = READINGS.flatMap((name) => readings.find((one) => localName(one.name) === name) ?? [])[0];
  const reading = chosen ?? readings[0];
  return reading ? [make('span', rewriter.inline(reading))] : [];
};

/** Writes a quotation on lines of its own as a block, and one in a line of text as text. */
const quotation: RuleFunction = (element, rewriter) => {
  const isBlock =
    childrenNamed(element, 'p', 'lg', 'l', 'div').length > 0 || element.attributes.rend === 'block';
  return [make(isBlock ? 'blockquote' : 'span', rewriter.children(element, !isBlock))];
};

const bibliography: RuleFunction = (element, rewriter) => {
  const head = findChild(element, 'head');
  const items = writeItems(element, (part) => [writeSource(part, rewriter)], [head]);
  const title = head ?? make('head', ['References']);
  return [...rewriter.heading(title), make('ul', items)];
};

/** Writes a bibliographic source. The parts of structured ones are joined with commas. */
function writeSource(source: XmlElement, rewriter: Rewriter): XmlElement {
  if (localName(source.name) !== 'biblStruct') return make('span', rewriter.inline(source));
  const raw = childrenNamed(source, 'note').find(({ attributes }) => attributes.type === 'raw_reference');
  if (raw) return make('span', rewriter.inline(raw));
  const parts: string[] = [];
  const visit = (element: XmlElement) => {
    for (const part of elements(element)) {
      if (elements(part).length === 0 || hasText(part)) {
        const { from, to, when, unit } = part.attributes;
        const range = from && to ? `${from}–${to}` : (from ?? when);
        parts.push(readLine(part) || (unit || when ? (range ?? '') : ''));
      } else if (['author', 'editor', 'persName'].includes(localName(part.name))) {
        parts.push(
          elements(findChild(part, 'persName') ?? part)
            .map(readLine)
            .join(' '),
        );
      } else visit(part);
    }
  };
  visit(source);
  return make('span', [parts.filter((part) => part.trim() !== '').join(', ')]);
}

const formula: RuleFunction = (element, rewriter) => {
  const { notation = '', rend = '' } = element.attributes;
  const isTex = /tex/i.test(notation);
  const content = isTex ? { ...element, children: [make('tex-math', element.children)] } : element;
  if (rend === 'display' || findChild(element, 'label')) return displayFormula(content, rewriter);
  return [make('span', rewriter.inline(content))];
};

const lineOfVerse: RuleFunction = (element, rewriter) => [...rewriter.inline(element), make('br', [])];

const speech: RuleFunction = (element, rewriter) => {
  const speaker = findChild(element, 'speaker');
  const name = speaker ? [make('p', [make('b', rewriter.inline(speaker))])] : [];
  return [make('div', [...name, ...rewriter.children(element, false, new Set(speaker ? [speaker] : []))])];
};

export const RULES: Rules = {
  ...SHARED_RULES,
  div: section,
  div0: section,
  div1: section,
  div2: section,
  div3: section,
  div4: section,
  div5: section,
  div6: section,
  div7: section,
  head: (element, rewriter) => rewriter.heading(element),
  docTitle: 'div',
  titlePart: 'p',
  byline: 'p',
  docAuthor: 'span',
  p: 'p',
  ab: 'p',
  hi: highlighted,
  emph: highlighted,
  lb: (element) => (element.attributes.break === 'no' ? [] : [make('br', [])]),
  pb: '',
  cb: '',
  fw: '',
  gap: '',
  milestone: '',
  facsimile: '',
  sourceDoc: '',
  standOff: '',
  list,
  item: 'li',
  table,
  figure,
  graphic: (_, rewriter) => {
    rewriter.pictures++;
    return [];
  },
  note,
  choice,
  app: choice,
  q: quotation,
  quote: quotation,
  cit: 'div',
  lg: 'p',
  l: lineOfVerse,
  sp: speech,
  stage: (element, rewriter) => [make('i', rewriter.inline(element))],
  formula,
  ref: writeLink,
  ptr: '',
  code: 'code',
  eg: (element) => [make('pre', element.children)],
  egXML: (element) => [make('pre', element.children)],
  listBibl: bibliography,
  del: 's',
  teiHeader: '',
};
