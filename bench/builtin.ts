/**
 * Measures everything that works without a model in one run, each next to a trivial baseline: classification,
 * extraction, and sparse retrieval in each language. Classification and extraction use weights fitted without
 * the measured set or kind.
 * Run: npm run bench:builtin   (CORPORA=<dir>)
 */
import { benchClassification } from './builtin/classification.ts';
import { benchExtraction } from './builtin/extraction.ts';

console.log('Classification (bench:classify)');
await benchClassification();
console.log('\nExtraction (bench:extract)');
await benchExtraction();
console.log('\nSparse retrieval by language (bench:languages)');
await import('./languages.ts');
process.exit(0);
