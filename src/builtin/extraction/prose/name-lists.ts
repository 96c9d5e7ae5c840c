import { largest } from '#src/lib/extremes.ts';
import { occurrences, squash } from '#src/lib/text/words.ts';
import type { Candidate } from '../evidence.ts';
import type { Field } from '../fields.ts';
import { isPartOfDocument } from '../parties/names.ts';
import type { Locale } from '../read.ts';
import type { Passage, Prose } from './index.ts';
import type { Name } from './names.ts';
import { questionOf } from './question.ts';
import { namesBesideDates } from './spans.ts';

const FIRST_PASSAGES = 12;
/** Share of a name that is never written small: below this it is a term of the document. */
const LEAST_PROPER = 0.35;
/** A short name in quotes and brackets. */
const DEFINITION = /\([^()]{0,60}["“„«][^"“”„«»()]{1,60}["”“»][^()]{0,40}\)/gu;
const MOST_NAMES = 60;
/** A name in a list of names: those of companies are clearer than what is merely capitalised. */
const strengthOf = (name: Name) => name.quality * (0.3 + 0.7 * name.legal);

/** The names that running text lists: "between A Ltd (the “Seller”), B GmbH and C". */
export function nameListCandidates(field: Field, prose: Prose, locale: Locale): Candidate[] {
  const question = questionOf(field, prose);
  if (field.kind !== 'text' || question.answer !== 'name') return [];
  const answers = new Map(prose.ask(question).map((answering) => [answering.passage, answering]));
  const passages = new Set([...prose.passages.slice(0, FIRST_PASSAGES), ...answers.keys()]);
  const text = squash(prose.passages.map((passage) => passage.text).join(' '));
  const isWrittenSmall = (word: string) => prose.properOf(word) === 0;
  const found = [...passages].flatMap((passage) => {
    const names = namesBesideDates(passage.text, locale, prose.isSmall).filter(
      (name) =>
        name.legal > 0 ||
        (prose.properOf(name.value) > LEAST_PROPER && !isPartOfDocument(name.value, isWrittenSmall)),
    );
    const { coverage = 0 } = answers.get(passage) ?? {};
    return names
      .filter(({ quality }) => quality >= 0.5)
      .map((name) => candidateOf(name, names, passage, coverage, text, prose));
  });
  return found.slice(0, MOST_NAMES);
}

function candidateOf(
  name: Name,
  all: Name[],
  passage: Passage,
  coverage: number,
  text: string,
  prose: Prose,
): Candidate {
  const isDefined = definedIn(passage.text, all).has(name);
  const others = all.filter(
    (other) => other !== name && (other.end <= name.start || other.start >= name.end),
  );
  const company = largest(others.map(strengthOf), 0);
  return {
    value: name.value,
    spans: [{ page: passage.page, text: name.text }],
    sentence: passage.text,
    features: {
      prose: coverage * passage.flow,
      name: name.legal > 0 ? 1 : 0.5,
      ...(isDefined && { definition: 1 }),
      series: Math.min(1, company),
      position: 1 - passage.position,
      type: name.quality,
      proper: prose.properOf(name.value),
      opening: passage.flow / (1 + passage.index / 3),
      ...(prose.isQuoted(name.value) && { shortName: 1 }),
      repeated: Math.min(1, (occurrences(text, squash(name.value)) - 1) / 3),
    },
  };
}

/** The names that short ones are defined for: of those since the last definition the first company, else the first. */
function definedIn(text: string, names: Name[]): Set<Name> {
  let from = 0;
  const defined = new Set<Name>();
  for (const match of text.matchAll(DEFINITION)) {
    const since = names.filter(({ start, end }) => start >= from && end <= match.index);
    const named = since.find(({ legal }) => legal > 0) ?? since[0];
    if (named) defined.add(named);
    from = match.index + match[0].length;
  }
  return defined;
}
