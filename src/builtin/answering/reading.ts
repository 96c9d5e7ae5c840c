import { type Analysis, analysisFor } from '../terms.ts';
import type { WordWeight } from '../word-weight.ts';
import { type AskedTerm, askedTerms } from './asked-terms.ts';
import { type Candidate, candidatesOf } from './candidates.ts';
import { type Evidence, evidenceFor } from './evidence.ts';
import { splitHeaderRows } from './table-headers.ts';

/** What kind of answer a question word asks for, and how a sentence shows that it has one. */
const KINDS: { asks: RegExp; has: RegExp }[] = [
  {
    asks: words(
      'how many|how much|how old|how long|how far|how tall|hoeveel|hoe lang|hoe oud|combien|wie viele?|wieviele?|wie hoch|wie lange|cu[aá]nt[oa]s?|quant[oiae]s?|ile|hur många|hur mycket|hvor mange|hvor meget|hvor mye|kuinka monta|kuinka paljon|сколько|скільки|c[aâ]te|câți|kaç|kolik|hány|mennyi|amount|bedrag|montant|betrag|importe',
      '多少|几个|几|いくつ|いくら|何人|몇|얼마|كم|כמה',
    ),
    has: /\d|\b(one|two|three|four|five|six|seven|eight|nine|ten|twelve|hundred|thousand|million|billion)\b/i,
  },
  {
    asks: words(
      'when|what year|what date|which year|wanneer|quand|wann|cu[aá]ndo|quando|kiedy|när|hvornår|når|milloin|когда|коли|când|ne zaman|kdy|mikor',
      '什么时候|何时|哪一年|いつ|何年|언제|متى|מתי',
    ),
    has: /\b\d{4}\b|\d{1,2}[./-]\d{1,2}|\d\s{0,8}[年月日년월일]|\b\d{1,2}(st|nd|rd|th)?\s+\p{L}{3}|\p{L}{3}\s+\d{1,2}\b/u,
  },
  {
    asks: words(
      'who|whom|whose|wie|wiens|qui|wer|wen|wem|quién|quiénes|chi|quem|kto|kogo|vem|hvem|kuka|кто|кого|кем|хто|cine|kim|kdo|kicsoda',
      '谁|誰|누구|누가|من هو|מי',
    ),
    has: /(?<=[\p{Ll}\d,;:]\s)\p{Lu}[\p{Ll}'-]+|^\p{Lu}[\p{Ll}'-]+\s+\p{Lu}|[·・]/u,
  },
  {
    asks: words(
      'where|waar|où|wo|woher|wohin|dónde|donde|dove|onde|gdzie|var|hvor|missä|где|куда|откуда|де|unde|nerede|kde|hol',
      '哪里|在哪|どこ|어디|أين|איפה',
    ),
    has: /(?<=[\p{Ll}\d,;:]\s)\p{Lu}[\p{Ll}'-]+|[省市县区国州県]/u,
  },
];

export interface AnswerNode {
  text: string;
  /** ISO 639-1. */
  language?: string;
  title?: string;
  headings?: readonly string[];
}

/** Characters that are read of all nodes together: whole files may be found. */
const MOST_TEXT = 200_000;

/** A question held against what was found for it. */
export interface Reading {
  asked: AskedTerm[];
  candidates: Candidate[];
  /** Of each candidate. */
  evidence: Evidence[];
  /** Terms of each node, with its title and headings. */
  nodes: ReadonlySet<string>[];
}

export function readingOf(question: string, nodes: readonly AnswerNode[], wordWeight: WordWeight): Reading {
  const [first] = nodes;
  const analysis = analysisFor(first?.language, first?.text ?? question);
  const share = Math.floor(MOST_TEXT / Math.max(1, nodes.length));
  const candidates = nodes
    .flatMap(({ text }, node) => candidatesOf(text.slice(0, share), node, analysis))
    .filter(({ sentence }) => !/[?？؟]$/u.test(sentence));
  const sets = candidates.map(({ terms }) => new Set(terms));
  const asked = askedTerms(question, sets, analysis, wordWeight);
  const whole = nodes.map((node, index) => termsOf(node, index, candidates, analysis));
  const evidence = evidenceFor(asked, { nodes: whole, candidates }, answerKindOf(question));
  return { asked, candidates, evidence, nodes: whole };
}

function termsOf(
  { text, title = '', headings = [] }: AnswerNode,
  index: number,
  candidates: readonly Candidate[],
  analysis: Analysis,
): Set<string> {
  const above = analysis.terms([title, ...headings, ...splitHeaderRows(text).headers].join('\n'));
  return new Set([...above, ...candidates.flatMap(({ node, terms }) => (node === index ? terms : []))]);
}

function words(spaced: string, unspaced: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${spaced})(?![\\p{L}\\p{N}])|${unspaced}`, 'iu');
}

/** A test for sentences that hold the kind of answer a question asks for; undefined when it asks for no kind. */
function answerKindOf(question: string): ((sentence: string) => boolean) | undefined {
  const kind = KINDS.find(({ asks }) => asks.test(question));
  return kind && ((sentence) => kind.has.test(sentence));
}
