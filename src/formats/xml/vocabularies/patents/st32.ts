import { elements, type XmlElement, type XmlNode } from '#src/text-formats/xml.ts';
import { findAll, findChild, isBlankNode, localName, make, makeList, readLine } from '../../tree/build.ts';
import { Rewriter, type RuleFunction, type Rules } from '../../tree/rewriter.ts';
import { keepMath, SHARED_RULES } from '../../tree/shared-rules.ts';
import type { Vocabulary } from '../define.ts';
import { formatDate } from './bibliography.ts';
import { writePatentTable } from './tables.ts';

const heading: RuleFunction = (element, rewriter) => {
  const level = Math.min(4, Math.max(1, Math.trunc(Number(element.attributes.LVL)) || 1)) + 2;
  return isBlankNode(element) ? [] : [make(`h${level}`, rewriter.inline(element))];
};

const countImage: RuleFunction = (_, rewriter) => {
  rewriter.pictures++;
  return [];
};

const displayMath: RuleFunction = (element, rewriter) => {
  const outer = rewriter.isDisplay;
  rewriter.isDisplay = true;
  const content = findAll(element, 'math').flatMap((math) => keepMath(math, rewriter));
  rewriter.isDisplay = outer;
  rewriter.pictures += findAll(element, 'math').length === 0 ? 1 : 0;
  return [make('div', content)];
};

/** Elements of the grant format of 2001 to 2004, which follows the standard ST.32. */
const RULES: Rules = {
  ...SHARED_RULES,
  H: heading,
  PARA: 'p',
  PTEXT: 'span',
  PDAT: 'span',
  STEXT: 'span',
  HIL: 'span',
  BOLD: 'b',
  ITALIC: 'i',
  SB: 'sub',
  SP: 'sup',
  CLREF: 'span',
  FGREF: 'span',
  F: 'span',
  CWU: 'div',
  'MATH-US': displayMath,
  'TABLE-US': writePatentTable,
  TABLE: writePatentTable,
  EMI: countImage,
  MATHEMATICA: '',
  CHEMCDX: '',
  CHEMMOL: '',
};

const read = (parent: XmlElement | undefined, ...names: string[]): string =>
  readLine(findAll(parent, ...names)[0]);

function readParty(party: XmlElement): string {
  const organization = read(party, 'ONM');
  const person = [read(party, 'FNM'), read(party, 'SNM')].filter((part) => part !== '').join(' ');
  const place = [read(party, 'CITY'), read(party, 'STATE'), read(party, 'CTRY')].filter(
    (part) => part !== '',
  );
  const name = organization || person;
  return place.length > 0 ? `${name} (${place.join(', ')})` : name;
}

function writeBibliography(source: XmlElement | undefined): XmlNode[] {
  const parties = (...names: string[]) =>
    findAll(source, ...names)
      .map(readParty)
      .join('; ');
  const dated = (number: string, date: string) =>
    date === '' ? number : `${number} (${formatDate(date)})`.trim();
  const kind = read(source, 'B130');
  const number = [read(source, 'B190'), read(source, 'B110'), kind].filter((part) => part !== '').join(' ');
  const classes = findAll(source, 'B511', 'B512', 'B521', 'B522').map(readLine);
  const fields: [label: string, value: string][] = [
    ['Publication', dated(number, read(source, 'B140'))],
    ['Application', dated(read(source, 'B210'), read(source, 'B220'))],
    ['Inventors', parties('B721')],
    ['Assignees', parties('B731')],
    ['Attorneys', parties('B741')],
    ['Examiners', parties('B746', 'B747')],
    [
      'Related documents',
      findAll(findChild(source, 'B600'), 'DOC')
        .map((one) => dated(read(one, 'DNUM'), read(one, 'DATE')))
        .join('; '),
    ],
    ['Classification', [...new Set(classes)].join('; ')],
  ];
  const filled = fields.filter(([, value]) => value !== '');
  const citations = findAll(source, 'B561', 'B562').map((citation) => [
    [
      read(citation, 'DNUM'),
      formatDate(read(citation, 'DATE')),
      read(citation, 'PARTY-US'),
      read(citation, 'NCIT'),
    ]
      .filter((part) => part !== '')
      .join(' '),
  ]);
  return [
    ...makeList(filled.map(([label, value]): XmlNode[] => [make('b', [`${label}:`]), ` ${value}`])),
    ...(citations.length > 0 ? [make('h2', ['References cited'])] : []),
    ...makeList(citations),
  ];
}

/** Writes a claim: its steps become nested list items by their level. */
function writeClaim(claim: XmlElement, at: number, rewriter: Rewriter): XmlElement {
  const number = String(Number(/(\d+)$/.exec(claim.attributes.ID ?? '')?.[1]) || at + 1);
  const content: XmlNode[] = [];
  let steps: XmlNode[] = [];
  for (const part of elements(claim)) {
    const nodes = rewriter.inline(part);
    if (localName(part.name) === 'CLMSTEP') steps.push(make('li', nodes));
    else {
      if (steps.length > 0) content.push(make('ul', steps));
      steps = [];
      content.push(...(content.length > 0 ? [make('br', [])] : []), ...nodes);
    }
  }
  if (steps.length > 0) content.push(make('ul', steps));
  const first = content[0];
  const printed = new RegExp(`^\\s*${number}\\s*[.)]\\s*`);
  if (typeof first === 'object') removeLeading(first, printed);
  return make('li', content, { value: number });
}

/** Removes the printed number from the first text inside an element. */
function removeLeading(element: XmlElement, pattern: RegExp): boolean {
  for (const [index, node] of element.children.entries()) {
    if (typeof node === 'string') {
      if (node.trim() === '') continue;
      element.children[index] = node.replace(pattern, '');
      return true;
    }
    if (removeLeading(node, pattern)) return true;
  }
  return false;
}

/** Patents granted by the United States from 2001 to 2004. */
export const grantSt32: Vocabulary = {
  name: 'Patent (ST.32)',
  matches: ({ local }) => local === 'PATDOC',
  read(root) {
    const rewriter = new Rewriter(RULES);
    const source = findChild(root, 'SDOBI');
    const title = findAll(source, 'B540')[0];
    const titleText = readLine(title);
    const inventors = findAll(source, 'B721').map((party) =>
      [read(party, 'FNM'), read(party, 'SNM')].join(' ').trim(),
    );
    const part = (name: string, heading: string): XmlNode[] => {
      const element = findChild(root, name);
      return element && !isBlankNode(element) ? [make('h2', [heading]), ...rewriter.children(element)] : [];
    };
    const claims = findChild(root, 'SDOCL');
    const introductions = findAll(claims, 'H').map((one) => make('p', rewriter.inline(one)));
    const items = findAll(claims, 'CLM').map((claim, at) => writeClaim(claim, at, rewriter));
    const bibliography = writeBibliography(source);
    const nodes: XmlNode[] = [
      ...(title ? [make('h1', [titleText])] : []),
      ...bibliography,
      ...part('SDOAB', 'Abstract'),
      ...part('SDODE', 'Description'),
      ...(items.length > 0 ? [make('h2', ['Claims']), ...introductions, make('ol', items)] : []),
    ];
    const others = ['SDODR', 'SDOCR'].flatMap((name) => findChild(root, name) ?? []);
    for (const other of others) nodes.push(...rewriter.children(other));
    return {
      nodes,
      pictures: rewriter.pictures,
      metadata: {
        title: titleText,
        author: inventors.filter((name) => name !== '').join(', '),
        language: 'en',
      },
    };
  },
};
