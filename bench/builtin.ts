/**
 * All that works without a model, each beside the trivial baseline of its field, in one run: classification and
 * extraction with each set or kind left out of the fit, then sparse retrieval in each language.
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
