import { getOwn } from '#src/lib/get-own.ts';
import type { XmlElement, XmlNode } from '#src/text-formats/xml.ts';
import { findChild, isBlankNode, localName, make, readStart } from '../../tree/build.ts';
import type { Rewriter, RuleFunction, Rules } from '../../tree/rewriter.ts';
import {
  captioned,
  chooseAlternative,
  countPicture,
  displayFormula,
  SHARED_RULES,
  titledBlock,
  writeCode,
  writeLink,
} from '../../tree/shared-rules.ts';
import type { FootnoteMarks } from './notes.ts';
import { writePerson, writeReference, writeReferenceList } from './references.ts';

/** Headings of parts that usually have no title of their own. */
const DEFAULT_TITLES: Record<string, string> = { ack: 'Acknowledgments', glossary: 'Glossary' };

const section: RuleFunction = (element, rewriter) => {
  const title = findChild(element, 'title');
  const standard = getOwn(DEFAULT_TITLES, localName(element.name));
  const label = findChild(element, 'label');
  if (title || label || !standard) return rewriter.section(element, [label, title]);
  return rewriter.section(element, [make('title', [standard])]);
};

const list: RuleFunction = (element, rewriter) => {
  const isOrdered = ['order', 'alpha-lower', 'alpha-upper', 'roman-lower', 'roman-upper'].includes(
    element.attributes['list-type'] ?? '',
  );
  const title = findChild(element, 'title');
  const items = element.children.flatMap((item): XmlNode[] => {
    if (item === title || (typeof item === 'string' && item.trim() === '')) return [];
    return [typeof item === 'string' ? make('li', [item]) : writeItem(item, isOrdered, rewriter)];
  });
  const heading = title ? [make('p', [make('b', rewriter.inline(title))])] : [];
  return [...heading, make(isOrdered ? 'ol' : 'ul', items)];
};

function writeItem(item: XmlElement, isOrdered: boolean, rewriter: Rewriter): XmlElement {
  const label = findChild(item, 'label');
  const content = rewriter.children(item, false, new Set(label ? [label] : []));
  const number = /^\(?(\d{1,6})[.)]?$/.exec(readStart(label, 20))?.[1];
  if (isOrdered && number) return make('li', content, { value: number });
  return make(
    'li',
    label && readStart(label, 5) !== '•'
      ? [...rewriter.inline(label), ' ', ...unwrapFirst(content)]
      : content,
  );
}

/** Replaces a paragraph at the start by its content, so that text can be put in front of it. */
export function unwrapFirst(nodes: readonly XmlNode[]): XmlNode[] {
  const at = nodes.findIndex((node) => !isBlankNode(node));
  const first = nodes[at];
  if (typeof first !== 'object' || first.name !== 'p') return [...nodes];
  return [...first.children, ...nodes.slice(at + 1)];
}

const definitionItem: RuleFunction = (element, rewriter) =>
  element.children.map((part) => {
    if (typeof part === 'string') return part;
    const isTerm = localName(part.name) === 'term';
    return make(isTerm ? 'dt' : 'dd', rewriter.children(part, isTerm));
  });

const crossReference =
  (marks: FootnoteMarks): RuleFunction =>
  (element, rewriter) => {
    const mark =
      element.attributes['ref-type'] === 'fn' ? marks.get(element.attributes.rid ?? '') : undefined;
    return mark === undefined ? rewriter.inline(element) : [`[^${mark}]`];
  };

const footnote =
  (marks: FootnoteMarks): RuleFunction =>
  (element, rewriter) => {
    const label = findChild(element, 'label');
    const mark = marks.get(element.attributes.id ?? '');
    const content = unwrapFirst(rewriter.children(element, false, new Set(label ? [label] : [])));
    const prefix = mark === undefined ? (label ? [...rewriter.inline(label), ' '] : []) : [`[^${mark}]: `];
    return [make('div', [...prefix, ...content])];
  };

const graphicOnly: RuleFunction = (element, rewriter) => {
  rewriter.pictures++;
  const description = findChild(element, 'alt-text') ?? findChild(element, 'long-desc');
  return description ? [make('p', rewriter.inline(description))] : [];
};

const attributed: RuleFunction = (element, rewriter) => [make('blockquote', rewriter.children(element))];

export function buildJatsRules(
  marks: FootnoteMarks,
  writeArticle: (article: XmlElement, rewriter: Rewriter) => XmlNode[],
): Rules {
  return {
    ...SHARED_RULES,
    article: writeArticle,
    'book-meta': 'div',
    sec: section,
    app: section,
    ack: section,
    glossary: section,
    notes: section,
    'fn-group': section,
    'app-group': section,
    'boxed-text': (element, rewriter) => captioned(element, rewriter),
    p: 'p',
    title: 'p',
    subtitle: 'p',
    attrib: 'p',
    bold: 'b',
    italic: 'i',
    monospace: 'code',
    strike: 's',
    break: (_, rewriter) => (rewriter.isDisplay ? [] : [make('br', [])]),
    'named-content': 'span',
    'styled-content': 'span',
    xref: crossReference(marks),
    fn: footnote(marks),
    'ext-link': writeLink,
    uri: writeLink,
    email: 'span',
    list,
    'def-list': 'div',
    'def-item': definitionItem,
    'disp-quote': attributed,
    'verse-group': 'blockquote',
    'verse-line': 'div',
    preformat: writeCode,
    code: (element, rewriter) =>
      !element.children.some((node) => typeof node === 'string' && node.includes('\n'))
        ? [make('code', rewriter.inline(element))]
        : writeCode(element, rewriter),
    'disp-formula': displayFormula,
    'disp-formula-group': 'div',
    'inline-formula': 'span',
    alternatives: chooseAlternative,
    'table-wrap': titledBlock,
    fig: titledBlock,
    'supplementary-material': titledBlock,
    media: (element, rewriter) => captioned(element, rewriter),
    statement: titledBlock,
    'table-wrap-foot': 'div',
    graphic: graphicOnly,
    'inline-graphic': countPicture,
    'ref-list': writeReferenceList,
    ref: writeReference,
    name: (element) => [writePerson(element)],
    'object-id': '',
    'institution-id': '',
    'contrib-id': '',
    'alt-title': '',
    'alt-text': '',
    'long-desc': '',
    permissions: '',
    'processing-meta': '',
    'sec-meta': '',
    'kwd-group': '',
  };
}
