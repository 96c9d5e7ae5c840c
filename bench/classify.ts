/**
 * Accuracy, macro-F1 and expected calibration error of the built-in classifier beside keyword overlap.
 * Run: npm run bench:classify   (CORPORA=<dir>; add "all" to print every answer)
 */
import { join } from 'node:path';
import { classifyBuiltin } from '#src/builtin/classification/classifier.ts';
import type { ClassifyRule } from '#src/jobs/classify/configuration.ts';
import { CORPORA, readManifest } from './corpora.ts';
import { startParsing } from './parsing/client.ts';

interface Item {
  file: string;
  upload_name: string;
  type: string;
}

interface Answer {
  expected: string;
  type: string | null;
  confidence: number;
}

const { rules, items } = readManifest<{ rules: ClassifyRule[]; items: Item[] }>('classify');
const ours: Answer[] = [];
const overlap: Answer[] = [];
let milliseconds = 0;

const parsing = await startParsing();
for (const item of items) {
  const parsed = await parsing.parse(join(CORPORA, item.file), item.upload_name).catch((error: unknown) => {
    console.log(`could not be parsed: ${String(error)}`);
    return { pages: [], title: undefined };
  });
  const start = performance.now();
  const result = classifyBuiltin(rules, { pages: parsed.pages, name: item.upload_name, title: parsed.title });
  milliseconds += performance.now() - start;
  ours.push({ expected: item.type, ...result });
  overlap.push({ expected: item.type, ...keywordOverlap(parsed.pages.map((page) => page.text).join('\n')) });
  const right = result.type === item.type;
  if (process.argv[2] || !right) {
    console.log(
      `${right ? 'ok   ' : 'WRONG'} ${item.upload_name} ${item.type} -> ${result.type} ${result.confidence}: ${result.reasoning}`,
    );
  }
}

console.log(`\n${items.length} documents, ${rules.length} rules`);
console.log('                  accuracy  macro-F1       ECE');
print('built-in', ours);
print('keyword overlap', overlap);
await parsing.stop();
console.log(`\nclassified in ${milliseconds.toFixed(0)} ms, parsing apart`);

function keywordOverlap(text: string): { type: string; confidence: number } {
  const words = new Set(text.toLowerCase().match(/\p{L}{3,}/gu));
  const scores = rules.map(({ type, description }) => {
    const wanted = new Set(`${type.replace(/_/g, ' ')} ${description}`.toLowerCase().match(/\p{L}{3,}/gu));
    return {
      type,
      confidence: [...wanted].filter((word) => words.has(word)).length / Math.max(1, wanted.size),
    };
  });
  return scores.reduce((best, score) => (score.confidence > best.confidence ? score : best));
}

function print(name: string, answers: Answer[]): void {
  const accuracy = answers.filter(({ type, expected }) => type === expected).length / answers.length;
  const columns = [accuracy, macroF1(answers), calibrationError(answers)];
  console.log(`${name.padEnd(16)}${columns.map((value) => value.toFixed(3).padStart(10)).join('')}`);
}

/** Mean F1 over the types that occur. */
function macroF1(answers: Answer[]): number {
  const types = [...new Set(answers.map(({ expected }) => expected))];
  const each = types.map((type) => {
    const right = answers.filter((answer) => answer.type === type && answer.expected === type).length;
    const told = answers.filter((answer) => answer.type === type).length;
    const there = answers.filter((answer) => answer.expected === type).length;
    return (2 * right) / Math.max(1, told + there);
  });
  return each.reduce((sum, f1) => sum + f1, 0) / Math.max(1, each.length);
}

/** Mean distance between confidence and accuracy over ten bins, weighted by their answers. */
function calibrationError(answers: Answer[]): number {
  let error = 0;
  for (let bin = 0; bin < 10; bin++) {
    const inside = answers.filter(({ confidence }) => Math.min(9, Math.floor(confidence * 10)) === bin);
    if (inside.length === 0) continue;
    const accuracy = inside.filter(({ type, expected }) => type === expected).length / inside.length;
    const confidence = inside.reduce((sum, answer) => sum + answer.confidence, 0) / inside.length;
    error += (inside.length / answers.length) * Math.abs(accuracy - confidence);
  }
  return error;
}
