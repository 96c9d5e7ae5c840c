import {
  elements,
  getTextContent,
  parseMarkup,
  type XmlElement,
  type XmlNode,
} from '#src/text-formats/xml.ts';
import { collapseWhiteSpace, findAll, localName, make, makeTable, readLine } from '../../tree/build.ts';
import type { Vocabulary, VocabularyContext } from '../define.ts';
import { readContexts, readUnits } from './contexts.ts';

const SKIPPED = new Set('context unit schemaRef linkbaseRef roleRef arcroleRef footnoteLink'.split(' '));
/** Longer values, and values with markup, are written as text below the table. */
const MAX_CELL_CHARACTERS = 300;

interface Fact {
  concept: string;
  context: string;
  unit: string;
  value: string;
}

function collectFacts(parent: XmlElement, facts: Fact[]): void {
  for (const element of elements(parent)) {
    if (SKIPPED.has(localName(element.name))) continue;
    const { contextRef, unitRef = '', ...others } = element.attributes;
    if (contextRef === undefined) {
      // Tuples group facts, and have no context of their own.
      collectFacts(element, facts);
      continue;
    }
    const isNil = others['xsi:nil'] === 'true' || others['xsi:nil'] === '1';
    const value = isNil ? '(nil)' : getTextContent(element).trim();
    facts.push({ concept: element.name, context: contextRef, unit: unitRef, value });
  }
}

const isText = ({ value }: Fact) => value.length > MAX_CELL_CHARACTERS || /<[a-z][^<>]*>/i.test(value);

function writeText({ concept, value }: Fact, { budget }: VocabularyContext): XmlNode[] {
  if (!/<[a-z]/i.test(value)) return [make('h2', [concept]), make('p', [value])];
  budget.spend('markupByte', value.length);
  return [make('h2', [concept]), make('div', parseMarkup(value, { html: true }).children)];
}

/** Reports in XBRL: a table of all facts, then the facts that are texts. */
export const xbrl: Vocabulary = {
  name: 'XBRL',
  matches: ({ local, namespace }) => local === 'xbrl' && /^$|xbrl/i.test(namespace),
  read(root, context) {
    const facts: Fact[] = [];
    collectFacts(root, facts);
    const contexts = readContexts(root);
    const units = readUnits(root);
    const entities = [...new Set([...contexts.values()].map(({ entity }) => entity))].filter(
      (one) => one !== '',
    );
    const describe = (id: string) => contexts.get(id)?.description ?? id;
    const rows = facts
      .filter((fact) => !isText(fact))
      .map((fact) => [
        fact.concept,
        describe(fact.context),
        units.get(fact.unit) ?? fact.unit,
        collapseWhiteSpace(fact.value),
      ]);
    const footnotes = findAll(root, 'footnote').map((note) => make('p', [readLine(note)]));
    return {
      nodes: [
        make('h1', ['XBRL report']),
        ...(entities.length > 0 ? [make('p', [make('b', ['Entity:']), ` ${entities.join(', ')}`])] : []),
        ...(rows.length > 0 ? [makeTable([['Concept', 'Period', 'Unit', 'Value'], ...rows])] : []),
        ...facts.filter(isText).flatMap((fact) => writeText(fact, context)),
        ...footnotes,
      ],
    };
  },
};
