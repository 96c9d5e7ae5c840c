import { type Analysis, getAnalysis } from '../terms.ts';
import type { WordWeight } from '../word-weight.ts';
import { type Candidate, listCandidates } from './candidates.ts';
import { collectEvidence, type Evidence } from './evidence.ts';
import { type QuestionTerm, weighQuestionTerms } from './question-terms.ts';
import { splitHeaderRows } from './table-headers.ts';

/**
 * Kinds of answers: question words that ask for a kind, and a pattern that sentences with such an answer
 * match.
 */
const ANSWER_KINDS: { asks: RegExp; has: RegExp }[] = [
  {
    asks: buildWordPattern(
      'how many|how much|how old|how long|how far|how tall|hoeveel|hoe lang|hoe oud|combien|wie viele?|wieviele?|wie hoch|wie lange|cu[aá]nt[oa]s?|quant[oiae]s?|ile|hur många|hur mycket|hvor mange|hvor meget|hvor mye|kuinka monta|kuinka paljon|сколько|скільки|c[aâ]te|câți|kaç|kolik|hány|mennyi|amount|bedrag|montant|betrag|importe',
      '多少|几个|几|いくつ|いくら|何人|몇|얼마|كم|כמה',
    ),
    has: /\d|\b(one|two|three|four|five|six|seven|eight|nine|ten|twelve|hundred|thousand|million|billion)\b/i,
  },
  {
    asks: buildWordPattern(
      'when|what year|what date|which year|wanneer|quand|wann|cu[aá]ndo|quando|kiedy|när|hvornår|når|milloin|когда|коли|când|ne zaman|kdy|mikor',
      '什么时候|何时|哪一年|いつ|何年|언제|متى|מתי',
    ),
    has: /\b\d{4}\b|\d{1,2}[./-]\d{1,2}|\d\s{0,8}[年月日년월일]|\b\d{1,2}(st|nd|rd|th)?\s+\p{L}{3}|\p{L}{3}\s+\d{1,2}\b/u,
  },
  {
    asks: buildWordPattern(
      'who|whom|whose|wie|wiens|qui|wer|wen|wem|quién|quiénes|chi|quem|kto|kogo|vem|hvem|kuka|кто|кого|кем|хто|cine|kim|kdo|kicsoda',
      '谁|誰|누구|누가|من هو|מי',
    ),
    has: /(?<=[\p{Ll}\d,;:]\s)\p{Lu}[\p{Ll}'-]+|^\p{Lu}[\p{Ll}'-]+\s+\p{Lu}|[·・]/u,
  },
  {
    asks: buildWordPattern(
      'where|waar|où|wo|woher|wohin|dónde|donde|dove|onde|gdzie|var|hvor|missä|где|куда|откуда|де|unde|nerede|kde|hol',
      '哪里|在哪|どこ|어디|أين|איפה',
    ),
    has: /(?<=[\p{Ll}\d,;:]\s)\p{Lu}[\p{Ll}'-]+|[省市县区国州県]/u,
  },
];

export interface AnswerNode {
  text: string;
  /** ISO 639-1 code. */
  language?: string;
  title?: string;
  headings?: readonly string[];
}

/**
 * Maximum number of characters that are read from all nodes together. The limit is needed because a node may
 * contain a whole file.
 */
const MAX_CHARACTERS = 200_000;

/** A question, analysed together with the nodes that were found for it. */
export interface AnalysedQuestion {
  questionTerms: QuestionTerm[];
  candidates: Candidate[];
  /** Evidence for each candidate, in the order of `candidates`. */
  evidence: Evidence[];
  /** Terms of each node, including its title and headings. */
  nodes: ReadonlySet<string>[];
}

export function analyseQuestion(
  question: string,
  nodes: readonly AnswerNode[],
  wordWeight: WordWeight,
): AnalysedQuestion {
  const [first] = nodes;
  const analysis = getAnalysis(first?.language, first?.text ?? question);
  const share = Math.floor(MAX_CHARACTERS / Math.max(1, nodes.length));
  const candidates = nodes
    .flatMap(({ text }, node) => listCandidates(text.slice(0, share), node, analysis))
    .filter(({ sentence }) => !/[?？؟]$/u.test(sentence));
  const sets = candidates.map(({ terms }) => new Set(terms));
  const questionTerms = weighQuestionTerms(question, sets, analysis, wordWeight);
  const whole = nodes.map((node, index) => listNodeTerms(node, index, candidates, analysis));
  const evidence = collectEvidence(questionTerms, { nodes: whole, candidates }, findAnswerKind(question));
  return { questionTerms, candidates, evidence, nodes: whole };
}

function listNodeTerms(
  { text, title = '', headings = [] }: AnswerNode,
  index: number,
  candidates: readonly Candidate[],
  analysis: Analysis,
): Set<string> {
  const above = analysis.terms([title, ...headings, ...splitHeaderRows(text).headers].join('\n'));
  return new Set([...above, ...candidates.flatMap(({ node, terms }) => (node === index ? terms : []))]);
}

function buildWordPattern(spaced: string, unspaced: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${spaced})(?![\\p{L}\\p{N}])|${unspaced}`, 'iu');
}

/**
 * Returns a test for sentences with the kind of answer that a question asks for. Returns `undefined` if the
 * question asks for no particular kind.
 */
function findAnswerKind(question: string): ((sentence: string) => boolean) | undefined {
  const kind = ANSWER_KINDS.find(({ asks }) => asks.test(question));
  return kind && ((sentence) => kind.has.test(sentence));
}
