import type { Evidence } from '#src/reading/verify/confidence.ts';
import { examinePage } from '#src/reading/verify/index.ts';
import type { TruePage } from './pages.ts';
import { PLANTED_ERRORS, type PlantedError } from './planted-errors.ts';
import { createRandom, pick } from './random.ts';
import { Tally } from './tally.ts';
import { VARIATIONS } from './variations.ts';

export const DOUBTED_BELOW = 0.5;
const SEED = '2026';

export interface Sample {
  evidence: Evidence;
  isTrue: boolean;
  /** Name of the variation or of the planted error. */
  kind: string;
}

export interface Measured {
  tally: Tally;
  samples: Sample[];
  /** Duration of the comparison of true outputs with their pages. */
  milliseconds: number;
  words: number;
}

/**
 * Measures verification on every correct variation of the pages and on every planted error. Planted errors
 * use names and texts of all pages.
 */
export function measure(own: readonly TruePage[], all: readonly TruePage[], shown?: string): Measured {
  const measured: Measured = { tally: new Tally(), samples: [], milliseconds: 0, words: 0 };
  const names = listNames(all);
  for (const page of own) {
    measureTrueOutputs(page, measured, shown);
    for (const kind of Object.keys(PLANTED_ERRORS))
      measurePlantedError(page, kind, { all, names }, measured, shown);
  }
  return measured;
}

function measureTrueOutputs(page: TruePage, measured: Measured, shown: string | undefined) {
  for (const [variation, write] of Object.entries(VARIATIONS)) {
    const reading = write(page);
    if (!reading) continue;
    const start = performance.now();
    const { verification, evidence } = examinePage(reading.markdown, reading.truth);
    measured.milliseconds += performance.now() - start;
    measured.words += reading.truth.text.split(/\s+/).length;
    const { unsupported, misplaced, confidence, missing } = verification;
    const isDoubted = confidence < DOUBTED_BELOW;
    const spans = [...unsupported, ...misplaced];
    measured.tally.count('true pages', variation, spans.length > 0, isDoubted);
    measured.tally.count('true pages by language', page.language, spans.length > 0, isDoubted);
    measured.samples.push({ evidence, isTrue: true, kind: variation });
    if (shown === 'true' && (isDoubted || spans.length > 0)) {
      const details = [evidence, spans.slice(0, 6)].map((each) => JSON.stringify(each));
      console.log(variation, page.name, confidence, ...details, missing.samples[0]);
    }
  }
}

interface Named {
  document: string;
  name: string;
}

interface Others {
  all: readonly TruePage[];
  names: readonly Named[];
}

const listNames = (pages: readonly TruePage[]): Named[] =>
  pages.flatMap(({ document, text }) =>
    [...text.matchAll(/(?<=\p{Ll} )\p{Lu}\p{Ll}{4,}/gu)].slice(0, 3).map(([name]) => ({ document, name })),
  );

function measurePlantedError(
  page: TruePage,
  kind: string,
  others: Others,
  measured: Measured,
  shown: string | undefined,
) {
  const { markdown, truth } = VARIATIONS['as parsed']!(page)!;
  const planted = PLANTED_ERRORS[kind]!(buildInput(page, kind, markdown, others));
  if (!planted || planted.markdown === markdown) return;
  const { verification, evidence } = examinePage(planted.markdown, truth);
  const { unsupported, misplaced, confidence, missing } = verification;
  const isDoubted = confidence < DOUBTED_BELOW;
  const isFound =
    planted.places.length === 0
      ? missing.words - examinePage(markdown, truth).verification.missing.words >= planted.dropped / 2
      : [...unsupported, ...misplaced].some((span) =>
          planted.places.some(({ start, end }) => span.start < end && span.end > start),
        );
  measured.tally.count('planted errors', kind, isFound, isDoubted);
  measured.tally.count('planted errors by language', page.language, isFound, isDoubted);
  measured.samples.push({ evidence, isTrue: false, kind });
  if (shown && kind.includes(shown) && !(isFound && isDoubted)) {
    const details = [evidence, excerptPlaces(planted)].map((each) => JSON.stringify(each).slice(0, 500));
    console.log(kind, page.name, confidence, isFound, ...details);
  }
}

const excerptPlaces = ({ markdown, places }: PlantedError) =>
  places.map(({ start, end }) => markdown.slice(Math.max(0, start - 60), end + 60));

function buildInput(page: TruePage, kind: string, markdown: string, { all, names }: Others) {
  const random = createRandom(`${SEED} ${kind} ${page.name}`);
  const ownText = page.text.toLowerCase();
  const foreign = pick(
    all.filter(({ language, document }) => language !== page.language && document.startsWith('retrieval/')),
    random,
  );
  const otherNames = names
    .filter(({ name, document }) => document !== page.document && !ownText.includes(name.toLowerCase()))
    .map(({ name }) => name);
  const sibling = pick(
    all.filter(({ language, document }) => language === page.language && document !== page.document),
    random,
  );
  const otherWords = [...(sibling?.text ?? '').matchAll(/(?<=\s)\p{Ll}{4,}(?=\s)/gu)]
    .map(([word]) => word)
    .filter((word) => !ownText.includes(word));
  const otherLanguage = foreign?.markdown.split('\n\n')[0] ?? '';
  return { markdown, otherNames, otherWords, otherLanguage, random };
}
