import { getOwn } from '#src/lib/get-own.ts';
import { elements, type XmlElement, type XmlNode } from '#src/text-formats/xml.ts';
import { findChild, isBlankNode, localName, make } from '../../tree/build.ts';
import type { Rewriter, Rule, RuleFunction, Rules } from '../../tree/rewriter.ts';
import {
  captioned,
  displayFormula,
  SHARED_RULES,
  writeCode,
  writeItems,
  writeLink,
  writeTable,
} from '../../tree/shared-rules.ts';

const section: RuleFunction = (element, rewriter) => {
  const info = elements(element).find(({ name }) => /info$/.test(localName(name)));
  const title = findChild(element, 'title') ?? findChild(info, 'title');
  if (info && title && !findChild(element, 'title')) element.children.unshift(title);
  return rewriter.section(element, [title]);
};

const ITEMS = ['listitem', 'step', 'member', 'callout', 'substeps'];

const writeItem = (item: XmlElement, rewriter: Rewriter): XmlNode[] =>
  ITEMS.includes(localName(item.name)) ? rewriter.children(item) : rewriter.rewrite(item);

const list =
  (name: 'ul' | 'ol'): RuleFunction =>
  (element, rewriter) => {
    const title = findChild(element, 'title');
    const before: XmlNode[] = title ? [make('p', [make('b', rewriter.inline(title))])] : [];
    const items = writeItems(element, (item) => writeItem(item, rewriter), [title]);
    return [...before, make(name, items)];
  };

const definition: RuleFunction = (element, rewriter) => {
  const parts = element.children.map((part) => {
    if (typeof part === 'string') return part;
    const isTerm = ['term', 'glossterm'].includes(localName(part.name));
    return make(isTerm ? 'dt' : 'dd', rewriter.children(part, isTerm));
  });
  return [make('div', parts)];
};

const TITLES: Record<string, string> = {
  note: 'Note',
  tip: 'Tip',
  warning: 'Warning',
  caution: 'Caution',
  important: 'Important',
};

/** Writes a note or warning as a quote under its title. */
const admonition: RuleFunction = (element, rewriter) => {
  const title = findChild(element, 'title');
  const name = title ? rewriter.inline(title) : [getOwn(TITLES, localName(element.name)) ?? ''];
  const content = rewriter.children(element, false, new Set(title ? [title] : []));
  return [make('blockquote', [make('p', [make('b', name)]), ...content])];
};

const emphasis: RuleFunction = (element, rewriter) => {
  const { role = '' } = element.attributes;
  const name = /bold|strong/.test(role) ? 'b' : /strike/.test(role) ? 's' : 'i';
  return [make(name, rewriter.inline(element))];
};

const footnote: RuleFunction = (element, rewriter) => {
  const mark = `[^${rewriter.notes.length + 1}]`;
  const note: XmlNode[] = [];
  rewriter.notes.push(note);
  const content = rewriter
    .children(element)
    .map((node) => (typeof node !== 'string' && node.name === 'p' ? make('span', node.children) : node));
  note.push(make('div', [`${mark}: `, ...content]));
  return [mark];
};

const picture: RuleFunction = (_, rewriter) => {
  rewriter.pictures++;
  return [];
};

/** Writes the parts of a command synopsis or of a menu choice with a separator. */
const joined =
  (separator: string): RuleFunction =>
  (element, rewriter) => {
    const filled = element.children.filter((node) => typeof node !== 'string' || node.trim() !== '');
    const parts = filled.map((part) => rewriter.inlineNodes([part]));
    return [
      make(
        'span',
        parts.flatMap((nodes, at) => (at === 0 ? nodes : [separator, ...nodes])),
      ),
    ];
  };

const simpleList: RuleFunction = (element, rewriter) =>
  element.attributes.type === 'inline' ? joined(', ')(element, rewriter) : writeSimpleList(element, rewriter);

const writeSimpleList = (element: XmlElement, rewriter: Rewriter): XmlNode[] => [
  make(
    'ul',
    writeItems(element, (member) => rewriter.inline(member)),
  ),
];

const codeNames =
  'literal code command filename function varname option parameter classname methodname constant type envar prompt userinput computeroutput systemitem tag sgmltag property replaceable uri';
const titledNames =
  'table informaltable figure informalfigure example informalexample formalpara sidebar blockinfo procedure-title abstract-title';
const sectionNames =
  'book set part chapter article section sect1 sect2 sect3 sect4 sect5 simplesect appendix preface partintro dedication colophon acknowledgements glossary bibliography index refentry refsect1 refsect2 refsect3 refsection refsynopsisdiv abstract topic bibliodiv glossdiv qandadiv task';

const named = (names: string, rule: Rule): Rules =>
  Object.fromEntries(names.split(' ').map((name) => [name, rule]));

const titled: RuleFunction = (element, rewriter) => {
  const isTable = /table$/.test(localName(element.name));
  if (!isTable) return captioned(element, rewriter);
  const title = findChild(element, 'title') ?? findChild(element, 'caption');
  const rest = { ...element, children: element.children.filter((node) => node !== title) };
  const content = writeTable(rest, rewriter);
  return [...(title && !isBlankNode(title) ? [make('p', rewriter.inline(title))] : []), ...content];
};

export const RULES: Rules = {
  ...SHARED_RULES,
  ...named(sectionNames, section),
  ...named(titledNames, titled),
  ...named(codeNames, 'code'),
  ...named('note tip warning caution important', admonition),
  ...named('programlisting screen literallayout synopsis programlistingco cmdsynopsis-text', writeCode),
  ...named(
    'info bookinfo articleinfo chapterinfo sectioninfo setinfo blockinfo indexterm remark titleabbrev',
    '',
  ),
  ...named('graphic imagedata inlinegraphic videodata audiodata', picture),
  title: (element, rewriter) => [make('p', [make('b', rewriter.inline(element))])],
  subtitle: 'p',
  para: 'p',
  simpara: 'p',
  emphasis,
  subscript: 'sub',
  superscript: 'sup',
  ulink: writeLink,
  link: writeLink,
  xref: '',
  itemizedlist: list('ul'),
  orderedlist: list('ol'),
  procedure: list('ol'),
  substeps: list('ol'),
  calloutlist: list('ol'),
  simplelist: simpleList,
  variablelist: 'div',
  varlistentry: definition,
  glossentry: definition,
  footnote,
  blockquote: 'blockquote',
  epigraph: 'blockquote',
  attribution: 'p',
  equation: displayFormula,
  informalequation: displayFormula,
  mathphrase: 'span',
  menuchoice: joined(' > '),
  quote: (element, rewriter) => ['“', make('span', rewriter.inline(element)), '”'],
  biblioentry: (element, rewriter) => [make('ul', [make('li', rewriter.inline(element))])],
  bibliomixed: (element, rewriter) => [make('ul', [make('li', rewriter.inline(element))])],
  question: (element, rewriter) => [make('div', [make('b', rewriter.inline(element))])],
  refnamediv: 'div',
};
