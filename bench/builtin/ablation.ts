/**
 * Measures how much each reader of the built-in extractor contributes to F1. The reader is switched off and
 * everything is measured again. This uses the weights of the project, or with `--refit` weights fitted
 * without the reader. A dot means no change.
 * Run: npm run bench:ablation -- [--only pattern] [--together reader,reader] [--refit]   (CORPORA=<dir>)
 */
import { parseArgs } from 'node:util';
import { READERS } from './readers.ts';
import { makeSwitchable, switchOff } from './switches.ts';

makeSwitchable(READERS);
const { measureSets, readSets } = await import('./ablation-sets.ts');

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    together: { type: 'string' },
    refit: { type: 'boolean', default: false },
  },
});

const together = options.together?.split(',');
const unknown = together?.find((name) => !Object.hasOwn(READERS, name));
if (unknown !== undefined) {
  console.log(`Unknown reader: ${unknown}. Possible readers: ${Object.keys(READERS).join('; ')}.`);
  process.exit(1);
}

type F1 = Record<string, number>;

const sets = await readSets();
const whole = measureSets(sets, options.refit);
const kinds = Object.keys(whole);
console.log(`${'F1'.padEnd(36)}${[...kinds, 'mean'].map((kind) => kind.slice(0, 10).padStart(11)).join('')}`);
print('everything', whole);

const pattern = new RegExp(options.only);
const alone = Object.keys(READERS).filter((name) => pattern.test(name));
const wanted = together ? [together] : alone.map((name) => [name]);
for (const readers of wanted) {
  switchOff(...readers);
  const f1 = measureSets(sets, options.refit);
  print(
    `without ${readers.join(', ')}`,
    Object.fromEntries(kinds.map((kind) => [kind, f1[kind]! - whole[kind]!])),
  );
}
process.exit(0);

function print(title: string, f1: F1): void {
  const mean = kinds.reduce((sum, kind) => sum + f1[kind]!, 0) / kinds.length;
  const shown = [...kinds.map((kind) => f1[kind]!), mean].map((value) =>
    (Math.abs(value) < 0.00005 ? '.' : value.toFixed(4)).padStart(11),
  );
  console.log(`${title.padEnd(36)}${shown.join('')}`);
}
