import { elements, type XmlElement, type XmlNode } from '#src/text-formats/xml.ts';
import { findChild, isBlankNode, localName, make, readLine } from './build.ts';
import { isCals, rewriteCals } from './cals.ts';
import type { Rewriter, RuleFunction, Rules } from './rewriter.ts';

/** Keeps a formula in MathML as it is, because the HTML converter writes it. */
export const keepMath: RuleFunction = (element, rewriter) => [
  {
    ...element,
    name: 'math',
    attributes: rewriter.isDisplay ? { ...element.attributes, display: 'block' } : element.attributes,
  },
];

/** Writes TeX source as a formula in MathML that has the source as its annotation. */
export const writeTex: RuleFunction = (element, rewriter) => [
  make(
    'math',
    [make('semantics', [make('annotation', [readTex(element)], { encoding: 'application/x-tex' })])],
    rewriter.isDisplay ? { display: 'block' } : {},
  ),
];

const readTex = (element: XmlElement): string =>
  element.children.map((node) => (typeof node === 'string' ? node : readLine(node))).join('');

/** Rewrites the content of a displayed formula as one paragraph, with its label behind it. */
export const displayFormula: RuleFunction = (element, rewriter) => {
  const label = findChild(element, 'label');
  const outer = rewriter.isDisplay;
  rewriter.isDisplay = true;
  const content = rewriter.children(element, true, new Set(label ? [label] : []));
  rewriter.isDisplay = outer;
  return [make('p', label ? [...content, ' ', ...rewriter.inline(label)] : content)];
};

/** Counts a picture that is stored outside the file. Its description is kept. */
export const countPicture: RuleFunction = (element, rewriter) => {
  rewriter.pictures++;
  return rewriter.children(element);
};

/** Writes a link whose address is in one of the usual attributes. */
export const writeLink: RuleFunction = (element, rewriter) => {
  const { attributes } = element;
  const href = attributes['xlink:href'] ?? attributes.href ?? attributes.url ?? attributes.target ?? '';
  const content = rewriter.inline(element);
  const isAddress = /^(?:https?|ftp|mailto):/i.test(href.trim());
  if (!isAddress) return [make('span', content)];
  const isBlank = content.every((node) => isBlankNode(node));
  return [make('a', isBlank ? [href] : content, { href })];
};

/** Keeps the spans of a cell in an HTML table. */
export const writeCell: RuleFunction = (element, rewriter) => {
  const { colspan = '1', rowspan = '1' } = element.attributes;
  return [make(localName(element.name), rewriter.inline(element), { colspan, rowspan })];
};

/** Rewrites a table of the HTML or the CALS model. */
export const writeTable: RuleFunction = (element, rewriter) => {
  if (isCals(element)) return rewriteCals(element, rewriter);
  const rows: XmlNode[] = [];
  const captions: XmlNode[] = [];
  const visit = (parent: XmlElement) => {
    for (const part of elements(parent)) {
      const name = localName(part.name);
      if (name === 'tr') rows.push(make('tr', keepCells(rewriter.children(part))));
      else if (name === 'thead' || name === 'tbody' || name === 'tfoot') visit(part);
      else if (name !== 'colgroup' && name !== 'col') captions.push(make('div', rewriter.rewrite(part)));
    }
  };
  visit(element);
  return [...captions, make('table', rows)];
};

const keepCells = (nodes: readonly XmlNode[]): XmlNode[] =>
  nodes.filter((node) => typeof node !== 'string' && (node.name === 'td' || node.name === 'th'));

/**
 * Rewrites alternative forms of the same content. TeX is preferred to MathML, and both and tables are preferred
 * to pictures.
 */
export const chooseAlternative: RuleFunction = (element, rewriter) => {
  const forms = elements(element);
  const preferred = ['tex-math', 'math', 'table', 'textual-form'];
  const chosen = preferred.flatMap((name) => forms.find((form) => localName(form.name) === name) ?? []);
  const form = chosen[0] ?? forms.find((one) => !isBlankNode(one)) ?? forms[0];
  return form ? rewriter.rewrite(form) : [];
};

/** Writes `label` and title as a bold paragraph in front of the other content, as in captions. */
export function captioned(element: XmlElement, rewriter: Rewriter): XmlNode[] {
  const label = findChild(element, 'label');
  const caption = findChild(element, 'caption');
  const title = findChild(element, 'title') ?? findChild(caption, 'title');
  const line: XmlNode[] = [];
  if (label) line.push(make('b', rewriter.inline(label)));
  if (title) line.push(...(label ? [' '] : []), ...rewriter.inline(title));
  const written = new Set<XmlNode>([label, title, caption].filter((one) => one !== undefined));
  const [first, ...others] = caption ? rewriter.children(caption, false, written) : [];
  // The text of a caption without a title continues the line of the label.
  const isContinued = typeof first !== 'string' && first?.name === 'p' && !title;
  if (isContinued) line.push(' ', ...first.children);
  else if (first) others.unshift(first);
  return [
    make('div', [
      ...(line.length > 0 ? [make('p', line)] : []),
      ...others,
      ...rewriter.children(element, false, written),
    ]),
  ];
}

/** Writes a titled block that is no section: its title becomes a bold paragraph. */
export const titledBlock: RuleFunction = (element, rewriter) => captioned(element, rewriter);

/** Writes the text of an element with its line breaks, as code. */
export const writeCode: RuleFunction = (element) => {
  const { language = element.attributes.outputclass ?? '' } = element.attributes;
  const name = /^(?:language-)?([\w+-]+)$/.exec(language)?.[1];
  return [make('pre', element.children, name ? { class: `lang-${name}` } : {})];
};

/**
 * Writes the children of a list as items, except those in `omit`. Text that stands directly in the list becomes
 * an item too.
 */
export function writeItems(
  list: XmlElement,
  writeItem: (item: XmlElement) => XmlNode[],
  omit: readonly (XmlNode | undefined)[] = [],
): XmlNode[] {
  return list.children.flatMap((node) => {
    if (typeof node !== 'string') return omit.includes(node) ? [] : [make('li', writeItem(node))];
    return node.trim() === '' ? [] : [make('li', [node])];
  });
}

/** Rules for the elements of formulas and HTML tables, which most vocabularies share. */
export const SHARED_RULES: Rules = {
  math: keepMath,
  'tex-math': writeTex,
  table: writeTable,
  td: writeCell,
  th: writeCell,
  sub: 'sub',
  sup: 'sup',
  script: '',
  style: '',
};
