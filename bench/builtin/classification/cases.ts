import { readRulesAndDocument } from '#src/builtin/classification/classifier.ts';
import { collectEvidence, type RuleEvidence } from '#src/builtin/classification/evidence.ts';
import type { Knowledge } from '#src/builtin/classification/term.ts';
import type { ClassifyRule } from '#src/classification/configuration.ts';
import type { ClassifyDocument } from '#src/classification/document.ts';
import { createRandom } from '../../verify/random.ts';
import type { ClassificationSet, Item } from './sets.ts';

/**
 * Variations of the rules or documents of a set. They make the fitted weights valid for other rules and other
 * lengths of documents too.
 */
export const CONDITIONS = {
  'as it is': 'rules and documents of the set',
  types: 'the description contains only the words of the type',
  descriptions: 'the type has no meaning',
  shortened: 'the first half of each description',
  'few rules': 'one to five rules, the right one among them',
  'rule dropped': 'all rules except the right one, so no rule fits',
  'few wrong rules': 'one to five rules, none of which fits',
  'some rules': 'two to eight rules, the right one among them',
  'some wrong rules': 'two to eight rules, none of which fits',
  'other length': 'a long text cut to its beginning, a short one joined with others of its type',
  strangers: 'documents of sets that have nothing to do with these rules',
  'few for strangers': 'one to eight rules for such a document',
  nothing: 'an empty document',
} as const;
export type Condition = keyof typeof CONDITIONS;

export interface Case {
  set: string;
  condition: Condition;
  /** Index of the right rule, or -1 if no rule fits. */
  right: number;
  weighed: RuleEvidence;
}

type Random = () => number;

const words = (text: string) => text.split(/\s+/).filter((word) => word !== '');
const joinPages = ({ pages }: ClassifyDocument) => pages.map(({ text }) => text).join('\n');
const asDocument = (text: string): ClassifyDocument => ({
  name: 'a.txt',
  pages: [{ index: 0, width: 612, height: 792, text, blocks: [] }],
});
const LONG = 150;
/** Share of the variations that are used, chosen by chance. More of them change the fitted weights very little. */
const USED = 0.25;
const STRANGERS = 8;

export function buildCases(sets: ClassificationSet[], knowledge: Knowledge): Case[] {
  return sets.flatMap((set) => {
    const random = createRandom(set.name);
    const choose = createRandom(`variations of ${set.name}`);
    const cases: Case[] = [];
    const add = (condition: Condition, rules: ClassifyRule[], document: ClassifyDocument, right: number) => {
      if (condition !== 'as it is' && choose() > USED) return;
      const { read, found, forms } = readRulesAndDocument(rules, document, knowledge);
      cases.push({
        set: set.name,
        condition,
        right,
        weighed: collectEvidence(read, found, knowledge.vectors, forms),
      });
    };
    for (const item of set.items) {
      for (const [condition, rules] of buildRuleVariations(set, item, random)) {
        add(
          condition,
          rules,
          item.document,
          rules.findIndex((rule) => isRuleForItem(set, rule, item)),
        );
      }
      const document = changeLength(set, item, random);
      if (document) {
        add(
          'other length',
          set.rules,
          document,
          set.rules.findIndex((rule) => rule.type === item.type),
        );
      }
    }
    for (const name of set.strangers) {
      const from = sets.find((other) => other.name === name)!.items.filter(({ type }) => type !== null);
      for (let k = 0; k < STRANGERS; k++) {
        add('strangers', set.rules, pickOne(from, random).document, -1);
        const few = shuffle(set.rules, random).slice(0, 1 + Math.floor(random() * 8));
        add('few for strangers', few, pickOne(from, random).document, -1);
      }
    }
    add('nothing', set.rules, asDocument(''), -1);
    return cases;
  });
}

/**
 * Returns true if the rule is the varied rule of the item. Rules are varied in their type or in their
 * description, but never in both, so one of the two still matches.
 */
function isRuleForItem({ rules }: ClassificationSet, rule: ClassifyRule, { type }: Item): boolean {
  const own = rules.find((each) => each.type === type);
  return own !== undefined && (rule.type === own.type || rule.description === own.description);
}

function buildRuleVariations(
  { rules }: ClassificationSet,
  { type }: Item,
  random: Random,
): [Condition, ClassifyRule[]][] {
  const own = rules.find((rule) => rule.type === type);
  const others = shuffle(
    rules.filter((rule) => rule !== own),
    random,
  );
  const few = 1 + Math.floor(random() * 5);
  const some = 2 + Math.floor(random() * 7);
  const half = (text: string) =>
    words(text)
      .slice(0, Math.max(3, Math.ceil(words(text).length / 2)))
      .join(' ');
  const varied: [Condition, ClassifyRule[]][] = [
    ['as it is', rules],
    ['types', rules.map(({ type }) => ({ type, description: type.replaceAll('_', ' ') }))],
    ['descriptions', rules.map(({ description }, at) => ({ type: `k${at}`, description }))],
    ['shortened', rules.map(({ type, description }) => ({ type, description: half(description) }))],
    ['few rules', own ? [own, ...others.slice(0, few - 1)] : others.slice(0, few)],
  ];
  if (own) {
    varied.push(
      ['rule dropped', others],
      ['few wrong rules', others.slice(0, few)],
      ['some rules', [own, ...others.slice(1 - some)]],
      ['some wrong rules', others.slice(-some)],
    );
  }
  return varied;
}

function changeLength(
  { items }: ClassificationSet,
  item: Item,
  random: Random,
): ClassifyDocument | undefined {
  const text = joinPages(item.document);
  const all = words(text);
  if (all.length > LONG) return asDocument(all.slice(0, 40 + Math.floor(random() * 80)).join(' '));
  const alike = items.filter((other) => other !== item && other.type === item.type);
  if (alike.length === 0) return undefined;
  return asDocument(
    [
      text,
      ...shuffle(alike, random)
        .slice(0, 5)
        .map((other) => joinPages(other.document)),
    ].join('\n'),
  );
}

const pickOne = <T>(list: T[], random: Random): T => list[Math.floor(random() * list.length)]!;

function shuffle<T>(list: T[], random: Random): T[] {
  return list
    .map((value) => ({ value, place: random() }))
    .sort((left, right) => left.place - right.place)
    .map(({ value }) => value);
}
