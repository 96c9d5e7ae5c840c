import { elements, type XmlElement, type XmlNode } from '#src/text-formats/xml.ts';
import { childrenNamed, findAll, findChild, isBlankNode, localName, make, readLine } from '../tree/build.ts';
import { Rewriter, type Rule, type RuleFunction, type Rules } from '../tree/rewriter.ts';
import {
  captioned,
  SHARED_RULES,
  writeCode,
  writeItems,
  writeLink,
  writeTable,
} from '../tree/shared-rules.ts';
import type { Vocabulary } from './define.ts';

const ROOTS = new Set('topic concept task reference glossentry troubleshooting dita'.split(' '));
const BODIES = [
  'body',
  'conbody',
  'taskbody',
  'refbody',
  'glossdef',
  'shortdesc',
  'topic',
  'concept',
  'task',
  'reference',
];

const section: RuleFunction = (element, rewriter) => {
  const title = findChild(element, 'title') ?? findChild(element, 'glossterm');
  return rewriter.section(element, [title]);
};

const list =
  (name: 'ul' | 'ol'): RuleFunction =>
  (element, rewriter) => [
    make(
      name,
      writeItems(element, (item) => rewriter.children(item)),
    ),
  ];

const definition: RuleFunction = (element, rewriter) =>
  elements(element).map((part) => make(localName(part.name) === 'dt' ? 'dt' : 'dd', rewriter.children(part)));

const note: RuleFunction = (element, rewriter) => {
  const { type = 'note' } = element.attributes;
  const title = type.slice(0, 1).toUpperCase() + type.slice(1);
  return [make('blockquote', [make('p', [make('b', [title])]), ...rewriter.children(element)])];
};

const simpleTable: RuleFunction = (element, rewriter) => {
  const rows = childrenNamed(
    element,
    'sthead',
    'strow',
    'properties',
    'prophead',
    'property',
    'chhead',
    'chrow',
  );
  return [
    make(
      'table',
      rows.map((row) =>
        make(
          'tr',
          elements(row).map((cell) => make('td', rewriter.inline(cell))),
        ),
      ),
    ),
  ];
};

const titledTable: RuleFunction = (element, rewriter) => {
  const title = findChild(element, 'title');
  const rest: XmlElement = { ...element, children: element.children.filter((node) => node !== title) };
  const content: XmlNode[] = writeTable(rest, rewriter);
  return [...(title && !isBlankNode(title) ? [make('p', rewriter.inline(title))] : []), ...content];
};

const named = (names: string, rule: Rule): Rules =>
  Object.fromEntries(names.split(' ').map((name) => [name, rule]));

const RULES: Rules = {
  ...SHARED_RULES,
  ...named('topic concept task reference troubleshooting section example glossentry', section),
  ...named('p shortdesc cmd glossdef', 'p'),
  ...named(
    'codeph filepath cmdname varname option parmname apiname userinput systemoutput uicontrol-code',
    'code',
  ),
  ...named('codeblock screen msgblock pre', writeCode),
  ...named('ul choices steps-unordered sl', list('ul')),
  ...named('ol steps substeps', list('ol')),
  ...named('simpletable properties choicetable', simpleTable),
  ...named('prolog related-links metadata indexterm', ''),
  table: titledTable,
  title: (element, rewriter) => [make('p', [make('b', rewriter.inline(element))])],
  b: 'b',
  i: 'i',
  u: 'span',
  uicontrol: 'b',
  dlentry: definition,
  note,
  xref: writeLink,
  link: writeLink,
  fig: (element, rewriter) => captioned(element, rewriter),
  lq: 'blockquote',
  image: (element, rewriter) => {
    rewriter.pictures++;
    const alternative = findChild(element, 'alt');
    return alternative ? rewriter.inline(alternative) : [];
  },
};

/** Topics of technical documentation in DITA. */
export const dita: Vocabulary = {
  name: 'DITA',
  matches: ({ local, element }) =>
    ROOTS.has(local) &&
    (local === 'dita' || findChild(element, 'title') !== undefined || local === 'glossentry') &&
    findAll(element, ...BODIES).length > 0,
  read(root) {
    const rewriter = new Rewriter(RULES);
    const title = readLine(findAll(root, 'title')[0]);
    const nodes = localName(root.name) === 'dita' ? rewriter.children(root) : rewriter.rewrite(root);
    return { nodes, metadata: { title }, pictures: rewriter.pictures };
  },
};
