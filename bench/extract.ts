/**
 * Measures field precision, recall and F1 of the built-in extractor for each kind of document, with its own
 * weights and with weights fitted without that kind, next to a regex baseline. It also measures the
 * calibration of its confidence.
 * Run: npm run bench:extract   (CORPORA=<dir>; add part of a file name, or "all", to print wrong fields)
 */
import { benchExtraction } from './builtin/extraction.ts';

await benchExtraction(process.argv[2]);
process.exit(0);
