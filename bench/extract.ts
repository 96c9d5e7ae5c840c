/**
 * Field precision, recall and F1 of the built-in extractor per kind of document, with its own weights and with weights
 * fitted without that kind, beside a regex baseline; how well its confidence is calibrated.
 * Run: npm run bench:extract   (CORPORA=<dir>; add a word of a file's name, or "all", to print wrong fields)
 */
import { benchExtraction } from './builtin/extraction.ts';

await benchExtraction(process.argv[2]);
process.exit(0);
