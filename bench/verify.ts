/**
 * What verification finds on true pages, each written in several faithful ways, and on the same pages with one lie
 * planted. Fitted on half of the documents, printed for the other.
 * Run: npm run bench:verify   (CORPORA=<dir>; --fit prints weights for the first half; a word of a kind prints its
 * misses)
 */

import { confidenceOf, type Evidence } from '#src/reading/verify/confidence.ts';
import { examinePage } from '#src/reading/verify/index.ts';
import { startParsing } from './parsing/client.ts';
import { fitWeights } from './verify/fit.ts';
import { LIES } from './verify/lies.ts';
import { type TruePage, truePages } from './verify/pages.ts';
import { pick, randomOf } from './verify/random.ts';
import { VARIATIONS } from './verify/variations.ts';

const DOUBTED_BELOW = 0.5;
const SEED = '2026';
const isFitting = process.argv.includes('--fit');
const shown = process.argv.slice(2).find((word) => !word.startsWith('--'));

const isForFitting = (page: TruePage) => randomOf(`half ${page.document}`)() < 0.5;

interface Counted {
  all: number;
  found: number;
  doubted: number;
}
const tables = new Map<string, Map<string, Counted>>();
function count(table: string, row: string, isFound: boolean, isDoubted: boolean) {
  const rows = tables.get(table) ?? new Map<string, Counted>();
  tables.set(table, rows);
  const counted = rows.get(row) ?? { all: 0, found: 0, doubted: 0 };
  rows.set(row, {
    all: counted.all + 1,
    found: counted.found + Number(isFound),
    doubted: counted.doubted + Number(isDoubted),
  });
}

const pages = await readPages();
const samples: { evidence: Evidence; isTrue: boolean }[] = [];
const own = pages.filter((page) => isForFitting(page) === isFitting);
const names = pages.flatMap(({ document, text }) =>
  [...text.matchAll(/(?<=\p{Ll} )\p{Lu}\p{Ll}{4,}/gu)].slice(0, 3).map(([name]) => ({ document, name })),
);
let words = 0;
let milliseconds = 0;
for (const page of own) {
  truthfully(page);
  lying(page);
}
report();

async function readPages(): Promise<TruePage[]> {
  const parsing = await startParsing();
  try {
    return await truePages(async (file) => (await parsing.parse(file)).pages);
  } finally {
    await parsing.stop();
  }
}

function truthfully(page: TruePage) {
  for (const [variation, write] of Object.entries(VARIATIONS)) {
    const reading = write(page);
    if (!reading) continue;
    const start = performance.now();
    const { verification, evidence } = examinePage(reading.markdown, reading.truth);
    milliseconds += performance.now() - start;
    words += reading.truth.text.split(/\s+/).length;
    const { unsupported, misplaced, confidence } = verification;
    const isDoubted = confidence < DOUBTED_BELOW;
    const spans = [...unsupported, ...misplaced];
    count('true pages', variation, spans.length > 0, isDoubted);
    count('true pages by language', page.language, spans.length > 0, isDoubted);
    samples.push({ evidence, isTrue: true });
    if (shown === 'true' && (isDoubted || spans.length > 0)) {
      console.log(
        variation,
        page.name,
        confidence,
        JSON.stringify(evidence),
        JSON.stringify(spans.slice(0, 6)),
        verification.missing.samples[0],
      );
    }
  }
}

function lying(page: TruePage) {
  const { markdown, truth } = VARIATIONS['as parsed']!(page)!;
  for (const [kind, plant] of Object.entries(LIES)) {
    const random = randomOf(`${SEED} ${kind} ${page.name}`);
    const foreign = pick(
      pages.filter(
        ({ language, document }) => language !== page.language && document.startsWith('retrieval/'),
      ),
      random,
    );
    const otherNames = names
      .filter(
        ({ name, document }) =>
          document !== page.document && !page.text.toLowerCase().includes(name.toLowerCase()),
      )
      .map(({ name }) => name);
    const sibling = pick(
      pages.filter(({ language, document }) => language === page.language && document !== page.document),
      random,
    );
    const ownText = page.text.toLowerCase();
    const otherWords = [...(sibling?.text ?? '').matchAll(/(?<=\s)\p{Ll}{4,}(?=\s)/gu)]
      .map(([word]) => word)
      .filter((word) => !ownText.includes(word));
    const otherLanguage = foreign?.markdown.split('\n\n')[0] ?? '';
    const lie = plant({ markdown, otherNames, otherWords, otherLanguage, random });
    if (!lie || lie.markdown === markdown) continue;
    const { verification, evidence } = examinePage(lie.markdown, truth);
    const { unsupported, misplaced, confidence } = verification;
    const isDoubted = confidence < DOUBTED_BELOW;
    const isFound =
      lie.places.length === 0
        ? verification.missing.words - examinePage(markdown, truth).verification.missing.words >=
          lie.dropped / 2
        : [...unsupported, ...misplaced].some((span) =>
            lie.places.some(({ start, end }) => span.start < end && span.end > start),
          );
    count('lies', kind, isFound, isDoubted);
    count('lies by language', page.language, isFound, isDoubted);
    samples.push({ evidence, isTrue: false });
    if (shown && kind.includes(shown) && !(isFound && isDoubted)) {
      const lies = lie.places.map(({ start, end }) => lie.markdown.slice(Math.max(0, start - 60), end + 60));
      console.log(
        kind,
        page.name,
        confidence,
        isFound,
        JSON.stringify(evidence),
        JSON.stringify(lies).slice(0, 400),
      );
    }
  }
}

function report() {
  if (isFitting) console.log('weights', JSON.stringify(fitWeights(samples), undefined, 2));
  console.log(`${own.length} pages of ${new Set(own.map(({ document }) => document)).size} documents`);
  for (const [table, rows] of tables) {
    const isTrue = table.startsWith('true');
    const all = [...rows.values()].reduce(
      (sum, row) => ({
        all: sum.all + row.all,
        found: sum.found + row.found,
        doubted: sum.doubted + row.doubted,
      }),
      { all: 0, found: 0, doubted: 0 },
    );
    console.log(`\n${table}`);
    console.table(
      Object.fromEntries(
        [...rows, ['all', all] as const].map(([row, { all, found, doubted }]) => [
          row,
          {
            pages: all,
            [isTrue ? 'with a span' : 'caught']: (found / all).toFixed(3),
            [`confidence < ${DOUBTED_BELOW}`]: (doubted / all).toFixed(3),
          },
        ]),
      ),
    );
  }
  const bins = new Map<number, { sum: number; right: number; all: number }>();
  for (const { evidence, isTrue } of samples) {
    const confidence = confidenceOf(evidence);
    const bin = Math.min(4, Math.floor(confidence * 5));
    const { sum, right, all } = bins.get(bin) ?? { sum: 0, right: 0, all: 0 };
    bins.set(bin, { sum: sum + confidence, right: right + Number(isTrue), all: all + 1 });
  }
  console.log('\nconfidence and how many were true');
  console.table(
    [...bins]
      .sort(([a], [b]) => a - b)
      .map(([, { sum, right, all }]) => ({
        outputs: all,
        confidence: (sum / all).toFixed(3),
        true: (right / all).toFixed(3),
      })),
  );
  console.log(`${((milliseconds / words) * 1000).toFixed(1)} ms for 1,000 words`);
}
